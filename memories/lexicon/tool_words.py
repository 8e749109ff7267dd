"""Words of tools, in English, Spanish, Portuguese, Italian, German, French and Chinese: verbs of their names, and words
of their messages (in Chinese `chinese_words` says what may be quoted; errors also in Japanese, Korean and Russian).

Verbs that read, that change and that hand over; in English what changes is `english_verbs.OF_TOOLS`. A verb of no list
(validate, suggest, process) tells nothing: how the tool behaves tells, or a person.
"""

import re

from memories.lexicon import words

_SERVER = re.compile(r"(?<!\S)mcp_+(?:[^_\s]+(?:_[^_\s]+)*?)__(?=.)", re.IGNORECASE)

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


# What a result calls an error: as a state or the first word of a text; and as a field.
FAILED = words(
    """
    error errore erreur erro fehler fehlgeschlagen fehlschlag exception failed failure fail fatal échec echec échoué
    falha falhou fallito fallo falló fallido fallida fault 错误 錯誤 异常 異常 失败 失敗 出错
    エラー 오류 실패 ошибка
    """
)
ERRORS = words(
    """
    error errors usererrors user_errors errore errori erreur erreurs erro erros fehler exception fault 错误 錯誤 异常
    異常 エラー 오류 ошибка
    """
)
# What a result calls that it went well, as a field with true or false.
SUCCESS = words("success ok exito éxito sucesso successo erfolg succès succes 成功 성공 успех")

# Words of error messages: always quotable, never a person's name.
PLAIN = words(
    """
    access account active add all allowed already amount and any are argument arguments as at authentication
    authorized available bad balance be because been before build call called can cannot card change changed check
    closed code command compile conflict connection could create data date day days declared deleted denied details
    directory disabled does doesn't duplicate email empty enough error exceeded exception exist existing exists
    expected expired fail failed failure fatal field file files flight for forbidden format found from function
    given has have id import in index input insufficient internal invalid is it item items json key large limit line
    lint list locked long match method missing module must name network no non not null number object of on only
    operation option or order out package page parameter parse password path payment pending permission please
    process processed quantity quota range rate reached read refused rejected request required reservation resource
    response result return rule runtime same seats server service session set size status stock string such support
    supported syntax system table test tests than that the this time timed timeout to token too total transaction
    type unable unavailable undefined unexpected unknown unused update use used user valid value variable was while
    with write wrong yet you

    acceso agotado al ante artículo cancelada cancelado cantidad cero cliente como completar con conexión contraseña
    correo cuenta código de debe debe del denegado dirección disponible disponibles el en encontrada encontrado es
    está estado existe existen fallo falta faltan fecha formato fuera hay hora intente inválida inválido la las los
    límite mayor menor mínimo máximo método no nuevamente número operación orden pagado pago para pedido pendiente
    permitida permitido por procesar producto puede pudo registrada registrado requerida requerido reserva rango saldo
    se ser servicio sin solicitud solo stock su tarde tarjeta teléfono tiempo un una usuario valor válido válida ya
    activo activa archivo campo cita coincide coinciden datos disponibilidad envío horario incorrecto incorrecta
    información opciones paciente permitidos permitidas proveedor registro registros sistema suficiente suficientes
    sucursal turno válidos válidas vencido vencida

    acesso apenas atualizar cancelada cancelado campo cartão cliente conta código dados data deve disponível do da
    encontrada encontrado endereço está estoque existe falta foi fora formato hora indisponível insuficiente inválida
    inválido já limite maior mais menor máximo mínimo negado número não obrigatório operação ou pagamento para pedido
    pendente permitido possível produto quantidade que reserva saldo sem senha ser serviço são tempo usuário valor

    accesso annullato campo carta cliente codice data deve dell della di disponibile esiste essere formato già il
    indirizzo insufficiente limite maggiore mancante massimo minimo minore negato non numero obbligatorio operazione
    ordine pagamento per possibile prenotazione prodotto quantità richiesto riprovare saldo scaduto servizio superato
    trovata trovato utente valida valido

    abgelaufen abgelehnt adresse als anfrage artikel auf ausreichend bereits berechtigung bestellung betrag bezahlt
    bitte buchung das datum dem den der des die dienst ein eine einer erforderlich erlaubt erneut existiert exemplar
    fehlt feld format für gefunden gesperrt größer guthaben höchstens im in ist kann karte kein keine keinen kleiner
    konnte konto kunde kunden limit maximal menge mindestens mit muss nicht null nummer nur oder offen ohne passwort
    pflichtfeld sein sind später status storniert stunden tage uhrzeit und ungültig ungültige unbekannt verarbeitet
    verbindung verfügbar versuchen verweigert von vorgang vorhanden war werden wert wochen wurde zahlung zeit zu zugriff
    zulässig überschritten daten datensatz system termin

    accès annulé annulée autorisé autorisée avec carte champ client code commande compte connexion date de des doit du
    délai déjà dépassé dépassée est et existe expiré format heure impossible inconnu inconnue indisponible inférieur
    insuffisant insuffisante introuvable invalide la le les limite manquant manquante maximum minimum mot numéro
    obligatoire opération ou paiement par pas passe payé payée plus pour produit quantité refusé requis requise
    réessayer réservation sans service seulement solde sont statut stock supérieur tard technicien traiter trouvé
    trouvée utilisateur valeur veuillez zéro à été être créneau données dossier système
    """
)


def without_server(tool: str) -> str:
    """Return the name of a tool of MCP without its server, `browser_click` of mcp__playwright__browser_click; of a line
    of names each."""
    return _SERVER.sub("", tool)
