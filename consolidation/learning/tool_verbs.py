"""Verbs with which names of tools begin, in the languages of the lexicon: those that read, and those that change.

A verb of neither list (validate, suggest, process) tells nothing: how the tool behaves tells, or a person.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READING = _words(
    """
    browse compare consult identify preview retrieve track verify
    buscar busca calcular comparar comprobar consultar consulta contar encontrar estimar identificar leer listar lista
    mostrar muestra obtener rastrear revisar traer ver verificar
    abfragen anzeigen auflisten berechnen berechne ermitteln ermittle finden finde hole holen lese lesen liste pruefe
    pruefen prüfe prüfen suche suchen vergleiche vergleichen zeige zeigen
    afficher calculer chercher comparer compter consulter identifier lire obtenir rechercher trouver verifier
    vérifier voir
    """
)
CHANGING = _words(
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
    _words(
        """
        创建 新建 取消 修改 更改 删除 更新 添加 增加 发送 预订 预约 支付 付款 退款 退货 下单 提交 关闭 保存 登记 注册
        设置 发布
        """
    )
)
HANDING_OVER = _words(
    """
    escalate handoff handover transfer forward
    derivar escalar transferir traspasar
    eskalieren uebergeben übergeben weiterleiten
    escalader transferer transférer
    """
)
PEOPLE = _words(
    """
    human humans agent agents person people staff operator operators support supervisor representative
    humano humanos humana agente agentes persona operador asesor
    mensch menschen mitarbeiter mitarbeiterin
    humain humaine conseiller operateur opérateur
    """
)
HANDING_OVER_ZH = ("转人工", "转接人工", "转接客服", "转客服")
