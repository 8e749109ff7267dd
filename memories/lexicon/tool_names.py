"""Verbs with which names of tools begin, in English, Spanish, German, French and Chinese.

Those that read, that change and that hand over; in English what changes is `english_verbs.OF_TOOLS`. A verb of no list
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
    browse calculate cat check compare consult count describe fetch find get glob grep identify inspect list lookup ls
    preview query read retrieve rg search show think track verify view
    buscar busca calcular comparar comprobar consultar consulta contar encontrar estimar identificar leer listar lista
    mostrar muestra obtener rastrear revisar traer ver verificar
    abfragen anzeigen auflisten berechnen berechne ermitteln ermittle finden finde hole holen lese lesen liste pruefe
    pruefen prüfe prüfen suche suchen vergleiche vergleichen zeige zeigen
    afficher calculer chercher comparer compter consulter identifier lire obtenir rechercher trouver verifier
    vérifier voir
    """
)
CHANGING = words(
    """
    actualizar activar agendar agregar anular asignar añadir anadir borrar cambiar cancelar cerrar confirmar crear
    eliminar emitir enviar generar guardar hacer iniciar marcar modificar pagar programar reembolsar registrar
    reprogramar reservar resolver solicitar subir
    aendern aktualisieren aktualisiere buchen buche erstellen erstelle hinzufuegen hinzufügen löschen lösche loeschen
    senden sende speichern speichere stornieren storniere zahlen ändern ändere
    ajouter annuler creer créer effacer enregistrer envoyer mettre modifier payer rembourser reserver réserver supprimer
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
HANDING_OVER = words(
    """
    escalate handoff handover transfer forward
    derivar escalar transferir traspasar
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
