"""Words of tools' messages: what results call an error, and what may be quoted of one in English, Spanish, Portuguese,
Italian, German and French; in Chinese `chinese_words` says it. Errors also in Japanese, Korean and Russian."""

from memories.lexicon import words

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
