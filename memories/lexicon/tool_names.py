"""Verbs of names of tools, in English, Spanish, Portuguese, Italian, German, French and Chinese.

Verbs that read, that change and that hand over; in English what changes is `english_verbs.OF_TOOLS`. A verb of no list
(validate, suggest, process) tells nothing: how the tool behaves tells, or a person.
"""

from memories.lexicon import words

# The beginning of a name of a tool that only reads, and its end (订单查询).
READS_ZH = tuple(
    words(
        """
        查 获取 读取 取得 搜 检索 检查 检视 列出 列举 统计 计算 估算 浏览 显示 展示 思考 描述 比较 对比 计数 获得
        预览 獲取 讀取 檢索 檢查 檢視 統計 計算 瀏覽 顯示 比較 獲得
        """
    )
)
READS_ZH_LAST = ("查询", "查看", "查找", "检索", "搜索", "统计", "查詢", "檢索", "搜尋", "統計")
READING = words(
    """
    browse calculate cat check compare consult count describe examine explain fetch find get glob grep
    identify inspect list locate lookup ls peek preview query read retrieve rg search show tail think track
    verify view
    goto hover navigate screenshot scroll snapshot wait
    buscar busca calcular calcula comparar compara comprobar comprueba consultar consulta contar encontrar
    encuentra estimar identificar leer lee listar lista mostrar muestra obtener obten obtén rastrear revisar revisa
    traer ver verificar verifica
    ler mostra obter procurar procura verificar
    calcola cerca cercare controlla controllare elenca elencare leggere leggi mostrare ottenere ottieni trova trovare
    verificare
    abfragen abrufen anzeigen auflisten berechnen berechne ermitteln ermittle finden finde hole holen lese lesen liste
    nachschlagen pruefe pruefen prüfe prüfen suche suchen vergleiche vergleichen zeige zeigen
    afficher calculer chercher comparer compter consulter identifier lire obtenir rechercher recuperer récupérer
    trouver verifier vérifier voir
    """
)
CHANGING = words(
    """
    actualizar actualiza activar activa agendar agregar agrega anular anula asignar asigna añadir añade anadir
    borrar borra cambiar cambia cancelar cancela cerrar cierra confirmar confirma crear crea eliminar elimina emitir
    emite enviar envia envía generar genera guardar guarda hacer iniciar inicia marcar modificar modifica pagar
    programar reembolsar reembolsa registrar registra reprogramar reservar resolver solicitar solicita subir
    adicionar adiciona alterar altera apagar atualizar atualiza criar cria excluir exclui fechar remover remove salvar
    trocar
    aggiornare aggiorna aggiungere aggiungi annullare annulla cancellare creare eliminare inviare invia modificare
    pagare prenotare prenota registrare rimborsare rimborsa salva spostare sposta
    aendern aktualisieren aktualisiere anlegen bearbeiten bestaetigen bestätigen bestellen buchen buche erstatten
    erstellen erstelle hinzufuegen hinzufügen kuendigen kündigen löschen lösche loeschen reservieren schliessen
    schließen senden sende speichern speichere stornieren storniere umbuchen verlaengern verlängern verschieben
    versenden zahlen ändern ändere
    ajouter annuler changer commander confirmer creer créer deplacer déplacer effacer emettre émettre enregistrer
    envoyer fermer mettre modifier payer planifier rembourser reserver réserver supprimer
    """
)
CHANGING_ZH = tuple(
    words(
        """
        创建 新建 取消 修改 更改 删除 更新 添加 增加 发送 预订 预约 支付 付款 退款 退货 下单 提交 关闭 保存 登记 注册
        设置 发布
        """
    )
)
# Verbs at the end of a name that begins with none (kundeSuchen, stock_check, invoice_create): those that are no nouns
# (price_list, map_view).
LAST = words("add cancel click create delete edit modify remove send update") | (
    (READING | CHANGING) - words("browse cat consulta count list lista liste preview query suche tail track view")
)
# Subcommands of programs that only show something; and those that say what is done, as verbs of tools do.
SHOWING = words(
    "describe diff explain history info inspect list log logs ls outdated routes search show status tree view why"
)
SUBCOMMANDS = words(
    """
    audit bootstrap bump codegen converge create-migration down fix fmt gen init lint new plan preview provision prune
    regenerate seed synth tidy up vet
    """
)
HANDING_OVER = words(
    """
    escalate handoff handover transfer forward
    derivar escalar transferir traspasar encaminhar trasferire
    eskalieren uebergeben übergeben weiterleiten
    escalader transferer transférer
    """
)
PEOPLE = words(
    """
    human humans agent agents person people staff operator operators support supervisor representative
    humano humanos humana agente agentes persona operador asesor
    mensch menschen mitarbeiter mitarbeiterin
    humain humaine conseiller operateur opérateur
    """
)
HANDING_OVER_ZH = ("转人工", "转接人工", "转接客服", "转客服")
