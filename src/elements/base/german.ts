/**
 * The German texts, and with them the list of all texts of the elements and of the web app.
 *
 * @example
 * ```ts
 * import { german, setStrings } from 'holdpoint/elements';
 *
 * if (navigator.language.startsWith('de')) setStrings(german, 'de');
 * ```
 */
export const german = {
  // Buttons and labels of a card.
  Approve: 'Genehmigen',
  Reject: 'Ablehnen',
  'Cancel request': 'Anfrage abbrechen',
  'Cancel question': 'Frage abbrechen',
  Edit: 'Bearbeiten',
  'Discard edits': 'Änderungen verwerfen',
  Back: 'Zurück',
  Next: 'Weiter',
  Skip: 'Überspringen',
  'Send answer': 'Antwort senden',
  'Sent as text.': 'Wird als Text gesendet.',
  'Sent as JSON.': 'Wird als JSON gesendet.',
  'Text, or JSON such as {0}': 'Text, oder JSON wie {0}',
  'Other …': 'Andere …',
  'This looks like JSON but does not parse: {0}. Fix it, or quote it.':
    'Das sieht wie JSON aus, lässt sich aber nicht lesen: {0}. Korrigieren Sie es, oder setzen Sie es in Anführungszeichen.',
  'Run again with this answer': 'Mit dieser Antwort erneut ausführen',
  'Give the result instead': 'Stattdessen das Ergebnis angeben',
  'Send the result': 'Ergebnis senden',
  'The call does not run again. The agent gets this as its result.':
    'Der Aufruf läuft nicht noch einmal. Der Agent erhält dies als sein Ergebnis.',
  'Send decision': 'Entscheidung senden',
  Change: 'Ändern',
  Retry: 'Erneut senden',
  Close: 'Schließen',
  'These entries were not sent:': 'Diese Eingaben wurden nicht gesendet:',
  '(not sent)': '(nicht gesendet)',
  'Ask again': 'Erneut fragen',
  Review: 'Prüfen',
  Reason: 'Grund',
  Changes: 'Änderungen',
  Result: 'Ergebnis',
  Theirs: 'Andere Antwort',
  'The other window': 'Das andere Fenster',
  'This window': 'Dieses Fenster',
  Yours: 'Ihre Antwort',
  '{1} with {0} change|{1} with {0} changes': '{1} mit {0} Änderung|{1} mit {0} Änderungen',
  '{0} change|{0} changes': '{0} Änderung|{0} Änderungen',
  'Yes, approve': 'Ja, genehmigen',
  'Yes: {0}': 'Ja: {0}',
  'This cannot be undone.': 'Das lässt sich nicht rückgängig machen.',
  'After {0} seconds this cannot be undone.':
    'Nach {0} Sekunden lässt sich das nicht mehr rückgängig machen.',
  'Run as a trial': 'Als Probelauf ausführen',
  'Enter rejects, Escape goes back.': 'Enter lehnt ab, Escape geht zurück.',
  'The agent hears no, with your reason, and goes on':
    'Der Agent erfährt das Nein mit Ihrem Grund und macht weiter',
  Permanent: 'Endgültig',
  'Risk: {0}': 'Risiko: {0}',
  'Risk: low': 'Risiko: niedrig',
  'Risk: medium': 'Risiko: mittel',
  'Risk: high': 'Risiko: hoch',
  'Risk: critical': 'Risiko: kritisch',
  'agent {0}': 'Agent {0}',
  'asked by {0}': 'angefragt von {0}',
  'asked by you': 'angefragt von Ihnen',
  'tool {0}': 'Werkzeug {0}',
  'for {0}': 'für {0}',
  'Add a reason': 'Grund angeben',
  'Add a reason (needed to reject)': 'Grund angeben (nötig zum Ablehnen)',
  'Add details': 'Einzelheiten angeben',
  'Add {0}': '{0} hinzufügen',
  'Type {0} to approve': 'Zum Genehmigen {0} eingeben',
  'Type “{0}” exactly as it is written.': 'Geben Sie „{0}“ genau so ein.',
  'Say why, so that the agent can do better.': 'Sagen Sie warum, damit der Agent es besser machen kann.',
  'Cancel this request: the agent gets no answer, neither yes nor no':
    'Diese Anfrage abbrechen: Der Agent bekommt keine Antwort, weder Ja noch Nein',
  'Cancel this question: the agent gets no answer': 'Diese Frage abbrechen: Der Agent bekommt keine Antwort',
  'This question expired without an answer.': 'Diese Frage ist ohne Antwort abgelaufen.',
  'This request expired without an answer.': 'Diese Anfrage ist ohne Antwort abgelaufen.',
  'Sending …': 'Wird gesendet …',
  '{0}. Not sent yet: it goes with the other answers.':
    '{0}. Noch nicht gesendet: Die Antwort geht mit den anderen ab.',
  'You have answered this in the conversation: {0}. It is not sent yet: it goes with your other answers there. An answer here replaces it.':
    'Sie haben das im Gespräch beantwortet: {0}. Es ist noch nicht gesendet: Es geht mit Ihren anderen Antworten dort ab. Eine Antwort hier ersetzt es.',
  '{0}. Your answer was not used.': '{0}. Ihre Antwort wurde nicht verwendet.',
  'The server can be reached again. Your answer was not sent. Retry sends it.':
    'Der Server ist wieder erreichbar. Ihre Antwort wurde nicht gesendet. „Erneut senden“ schickt sie ab.',
  'Your answer: {0}': 'Ihre Antwort: {0}',
  'Retry: approve': 'Erneut senden: genehmigen',
  'Retry: reject': 'Erneut senden: ablehnen',
  'Retry: cancel': 'Erneut senden: abbrechen',
  'in another window': 'in einem anderen Fenster',
  'another person, because you asked': 'eine andere Person, denn Sie haben gefragt',
  'another person of {0}, because you asked': 'eine andere Person von {0}, denn Sie haben gefragt',
  '{0} (not you, because you asked)': '{0} (nicht Sie, denn Sie haben gefragt)',
  'Waiting for {0}.': 'Wartet auf {0}.',
  'Step {0}': 'Schritt {0}',
  'step {0} of {1}': 'Schritt {0} von {1}',
  '(done)': '(erledigt)',
  becomes: 'wird zu',
  nothing: 'nichts',
  empty: 'leer',
  none: 'keine',
  Yes: 'Ja',
  No: 'Nein',
  '… and {0} more': '… und {0} weitere',
  'Show all {0} characters': 'Alle {0} Zeichen zeigen',
  'This value is nested too deeply to be shown.': 'Dieser Wert ist zu tief verschachtelt, um ihn zu zeigen.',
  'Contains characters that are invisible or change the reading direction: {0}.':
    'Enthält Zeichen, die unsichtbar sind oder die Leserichtung ändern: {0}.',
  '“{0}” mixes two alphabets: {1} only looks like a Latin letter.':
    '„{0}“ mischt zwei Alphabete: {1} sieht nur aus wie ein lateinischer Buchstabe.',
  '“{0}” looks like Latin letters, but has none: {1}.':
    '„{0}“ sieht aus wie lateinische Buchstaben, hat aber keine: {1}.',

  // Next time.
  'Ctrl+Enter: {0}': 'Strg+Enter: {0}',
  'Ctrl + Enter': 'Strg + Enter',
  'Proposed: {0}': 'Vorgeschlagen: {0}',
  'A rejection sends only its reason. What you entered above is not sent.':
    'Eine Ablehnung sendet nur ihren Grund. Was Sie oben eingegeben haben, wird nicht gesendet.',
  'Next time': 'Nächstes Mal',
  'For how long': 'Wie lange',
  'No end': 'Ohne Ende',
  'One hour': 'Eine Stunde',
  'One day': 'Ein Tag',
  '30 days': '30 Tage',
  'Write a whole number above 0.': 'Schreiben Sie eine ganze Zahl über 0.',
  'Write a number above 0, such as 12 or 12.5.': 'Schreiben Sie eine Zahl über 0, zum Beispiel 12 oder 12.5.',
  'Fill in every part, or clear it.': 'Füllen Sie jeden Teil aus, oder leeren Sie das Feld.',
  'At most this many times (optional)': 'Höchstens so oft (optional)',
  'Up to this total amount (optional)': 'Bis zu diesem Gesamtbetrag (optional)',
  'Allow it without asking next time': 'Nächstes Mal ohne Rückfrage erlauben',
  'Next time: {0}': 'Nächstes Mal: {0}',
  'Allow exactly this, in this conversation': 'Genau das erlauben, in diesem Gespräch',
  'Allow this tool, in this conversation': 'Dieses Werkzeug erlauben, in diesem Gespräch',
  'Allow this tool for me, always': 'Dieses Werkzeug für mich immer erlauben',

  // Time.
  'just now': 'gerade eben',
  '{0} ago': 'vor {0}',
  '{0} s': '{0} s',
  '{0} min': '{0} min',
  '{0} min {1} s': '{0} min {1} s',
  '{0} h': '{0} h',
  '{0} d': '{0} d',
  Expired: 'Abgelaufen',
  'Expires in {0}': 'Läuft in {0} ab',
  'Only {0} left': 'Nur noch {0}',
  'No expiry': 'Läuft nicht ab',
  left: 'übrig',
  'A request has expired.': 'Eine Anfrage ist abgelaufen.',
  'A request expires in {0}.': 'Eine Anfrage läuft in {0} ab.',

  // Kinds of request.
  Approval: 'Genehmigung',
  'Held by a policy': 'Von einer Regel angehalten',
  'Database change': 'Datenbankänderung',
  Confirmation: 'Bestätigung',
  Question: 'Frage',
  'File wanted': 'Datei gesucht',
  'Needs a decision': 'Braucht eine Entscheidung',

  // A call that failed, or whose outcome is unknown.
  'What should happen?': 'Was soll geschehen?',
  'Choose what should happen.': 'Wählen Sie, was geschehen soll.',
  'It finished': 'Er ist fertig',
  'Converted by the tool: it reads these values in its own form when it runs.':
    'Vom Werkzeug umgewandelt: Es liest diese Werte beim Ausführen in seiner eigenen Form.',
  Dropped: 'Weggelassen',
  'Dropped: the agent wrote this, and the tool does not get it.':
    'Weggelassen: Der Agent hat das geschrieben, das Werkzeug bekommt es nicht.',
  'The call was made and is not repeated. You can enter its result.':
    'Der Aufruf wurde gemacht und wird nicht wiederholt. Sie können sein Ergebnis eingeben.',
  'Do it again': 'Noch einmal',
  'The call is made again.': 'Der Aufruf wird noch einmal gemacht.',
  'Skip it': 'Auslassen',
  'The call is left out, and the agent continues without it.':
    'Der Aufruf entfällt, und der Agent macht ohne ihn weiter.',
  Stop: 'Anhalten',
  'The agent learns that the call failed.': 'Der Agent erfährt, dass der Aufruf gescheitert ist.',
  'Start it over': 'Von vorn beginnen',
  'The tool runs again, with the answers it already has.':
    'Das Werkzeug läuft noch einmal, mit den Antworten, die es schon hat.',

  // Decisions. The first ones follow a person: "Ana rejected".
  approved: 'genehmigt',
  'approved with changes': 'mit Änderungen genehmigt',
  'approved with {0} change|approved with {0} changes':
    'mit {0} Änderung genehmigt|mit {0} Änderungen genehmigt',
  '{0} as a trial run': '{0}, als Probelauf',
  rejected: 'abgelehnt',
  cancelled: 'abgebrochen',
  withdrawn: 'zurückgezogen',
  'withdrew it': 'zurückgezogen',
  expired: 'abgelaufen',
  waiting: 'wartet',
  answered: 'geantwortet',
  'answered “{0}”': '„{0}“ geantwortet',
  'left it empty': 'leer gelassen',
  'left empty': 'leer gelassen',
  skipped: 'übersprungen',
  'skipped it': 'übersprungen',
  'You {0}': 'Sie haben {0}',
  '{0} {1}': '{0} hat {1}',
  '{0} by {1}': '{0} von {1}',
  '{0} by you': '{0} von Ihnen',
  '{0} by another person': '{0} von einer anderen Person',
  'Expired without an answer': 'Ohne Antwort abgelaufen',
  '{0}, asked again': '{0}, erneut gefragt',

  // History.
  Asked: 'Gefragt',
  Answered: 'Beantwortet',
  Erased: 'Spurlos gelöscht',
  Permission: 'Erlaubnis',
  'Given on {0}': 'Erteilt am {0}',
  'Given by {0} on {1}': 'Erteilt von {0} am {1}',
  'Ran without asking': 'Ohne Rückfrage ausgeführt',
  'Ran without asking, as you allowed': 'Ohne Rückfrage ausgeführt, wie Sie erlaubt haben',
  'Ran without asking, as {0} allowed': 'Ohne Rückfrage ausgeführt, wie {0} erlaubt hat',
  'Taken by a run': 'Von einem Lauf übernommen',
  'Carried out': 'Ausgeführt',
  'The call failed': 'Der Aufruf ist fehlgeschlagen',
  'It is not known whether the call ran': 'Es ist nicht bekannt, ob der Aufruf ausgeführt wurde',
  'Closed without the call': 'Ohne den Aufruf geschlossen',
  'Released: the answer was not used': 'Freigegeben: Die Antwort wurde nicht verwendet',
  Cancelled: 'Abgebrochen',
  'Asked again': 'Erneut gefragt',
  'Asked in place of the request that expired': 'Statt der abgelaufenen Anfrage gefragt',
  'Asked in place of an earlier request': 'Statt einer früheren Anfrage gefragt',
  Withdrawn: 'Zurückgezogen',
  Withdraw: 'Zurückziehen',
  'Take your request back: nothing is done': 'Die eigene Anfrage zurückziehen: Nichts wird getan',
  'Answer taken back': 'Antwort zurückgenommen',
  'Outcome changed': 'Ausgang geändert',
  'by {0}': 'von {0}',
  'via {0}': 'über {0}',
  'Nothing is recorded.': 'Nichts ist aufgezeichnet.',
  'The history could not be loaded.': 'Der Verlauf konnte nicht geladen werden.',
  'Save as JSON': 'Als JSON speichern',
  'Save as CSV': 'Als CSV speichern',

  // Tool calls and activities.
  Pending: 'Steht an',
  'Writing arguments': 'Schreibt Argumente',
  'Waiting for an answer': 'Wartet auf eine Antwort',
  'Starts in a moment': 'Startet gleich',
  'Waits for the other requests': 'Wartet auf die anderen Anfragen',
  Running: 'Läuft',
  Done: 'Fertig',
  Approved: 'Genehmigt',
  Rejected: 'Abgelehnt',
  Skipped: 'Übersprungen',
  Failed: 'Gescheitert',
  'Not known whether it ran': 'Unbekannt, ob ausgeführt',
  'Not run': 'Nicht ausgeführt',
  'At work': 'Arbeitet',
  Completed: 'Abgeschlossen',
  'the newest of {0} answers': 'die neueste von {0} Antworten',
  'What the agent was told': 'Was dem Agenten gesagt wurde',
  'Noted for the agent': 'Für den Agenten vermerkt',
  'The call has not run yet.': 'Der Aufruf ist noch nicht gelaufen.',
  'Taking back …': 'Wird zurückgenommen …',
  'Arguments of {0}': 'Argumente von {0}',
  'From an earlier answer:': 'Aus einer früheren Antwort:',
  'Done for an earlier answer, and still done:': 'Für eine frühere Antwort getan, und weiterhin getan:',
  Conversation: 'Gespräch',
  'The agent': 'Der Agent',
  'The agent is at work.': 'Der Agent arbeitet.',
  'You said:': 'Sie haben gesagt:',
  '{0} said:': '{0} hat gesagt:',
  Thoughts: 'Gedanken',
  Table: 'Tabelle',

  // Forms.
  Answer: 'Antwort',
  Item: 'Eintrag',
  File: 'Datei',
  Upload: 'Hochladen',
  Remove: 'Entfernen',
  'Remove {0}': '{0} entfernen',
  '(optional)': '(optional)',
  'Choose …': 'Wählen …',
  'Not chosen': 'Keine Angabe',
  'at most {0}': 'höchstens {0}',
  'JSON, such as {0}': 'JSON, zum Beispiel {0}',
  'Choose one of these.': 'Wählen Sie eines davon.',
  'Fill this in.': 'Füllen Sie das aus.',
  'Choose a file.': 'Wählen Sie eine Datei.',
  PDF: 'PDF',
  image: 'Bild',
  audio: 'Ton',
  video: 'Video',
  'plain text': 'einfacher Text',
  'Write a whole number, such as 12.': 'Schreiben Sie eine ganze Zahl, zum Beispiel 12.',
  'Write a number, such as 12 or 12.5.': 'Schreiben Sie eine Zahl, zum Beispiel 12 oder 12.5.',
  '“{0}” can mean {1} or {2}. Write {2} without a point, or {3}.':
    '„{0}“ kann {1} oder {2} bedeuten. Schreiben Sie {2} ohne Punkt, oder {3}.',
  'This number cannot be sent exactly: it would become {0}.':
    'Diese Zahl kann nicht genau gesendet werden: Daraus würde {0}.',
  'This is not JSON: {0}': 'Das ist kein JSON: {0}',
  '“{0}” is of an unknown type. Choose a file of this kind: {1}.':
    '„{0}“ hat eine unbekannte Art. Wählen Sie eine Datei dieser Art: {1}.',
  '“{0}” is {1}. Choose a file of this kind: {2}.': '„{0}“ ist {1}. Wählen Sie eine Datei dieser Art: {2}.',
  '“{0}” is {1}; the limit is {2}. Choose a smaller file.':
    '„{0}“ ist {1} groß; die Grenze ist {2}. Wählen Sie eine kleinere Datei.',

  // What the validator expects.
  'Expected at least {0} character.|Expected at least {0} characters.':
    'Mindestens {0} Zeichen erwartet.|Mindestens {0} Zeichen erwartet.',
  'Expected at most {0} character.|Expected at most {0} characters.':
    'Höchstens {0} Zeichen erwartet.|Höchstens {0} Zeichen erwartet.',
  'Expected at least {0} item.|Expected at least {0} items.':
    'Mindestens {0} Eintrag erwartet.|Mindestens {0} Einträge erwartet.',
  'Expected at most {0} item.|Expected at most {0} items.':
    'Höchstens {0} Eintrag erwartet.|Höchstens {0} Einträge erwartet.',
  'Expected at least {0} member.|Expected at least {0} members.':
    'Mindestens {0} Angabe erwartet.|Mindestens {0} Angaben erwartet.',
  'Expected at most {0} member.|Expected at most {0} members.':
    'Höchstens {0} Angabe erwartet.|Höchstens {0} Angaben erwartet.',
  'Expected items that all differ.': 'Die Einträge müssen sich alle unterscheiden.',
  'Expected at least {0}.': 'Mindestens {0} erwartet.',
  'Expected at most {0}.': 'Höchstens {0} erwartet.',
  'Expected more than {0}.': 'Mehr als {0} erwartet.',
  'Expected less than {0}.': 'Weniger als {0} erwartet.',
  'Expected a multiple of {0}.': 'Ein Vielfaches von {0} erwartet.',
  'Expected one of {0}.': 'Eines davon erwartet: {0}.',
  'Expected text that matches {0}.': 'Text erwartet, der zu {0} passt.',
  'Expected the member {0}.': 'Die Angabe {0} fehlt.',
  'Expected an email address.': 'Eine E-Mail-Adresse erwartet.',
  'Expected a URL.': 'Eine Webadresse erwartet.',
  'Expected a UUID.': 'Eine UUID erwartet.',
  'Expected a date such as {0}.': 'Ein Datum erwartet, zum Beispiel {0}.',
  'Expected a date and time such as {0}.': 'Datum und Uhrzeit erwartet, zum Beispiel {0}.',
  'Expected a time with its offset, such as {0}.': 'Eine Uhrzeit mit Zeitzone erwartet, zum Beispiel {0}.',
  'Expected a whole number.': 'Eine ganze Zahl erwartet.',
  'Expected a number.': 'Eine Zahl erwartet.',
  'Expected text.': 'Text erwartet.',
  'Expected true or false.': 'Ja oder Nein erwartet.',
  'Expected {0}.': 'Erwartet: {0}.',

  // The inbox.
  Requests: 'Anfragen',
  'Open requests': 'Offene Anfragen',
  'Selected requests': 'Ausgewählte Anfragen',
  Search: 'Suchen',
  'Search (/)': 'Suchen (/)',
  Kind: 'Art',
  Agent: 'Agent',
  'Asked by': 'Angefragt durch',
  Age: 'Alter',
  Order: 'Reihenfolge',
  'All kinds': 'Alle Arten',
  'All agents': 'Alle Agenten',
  Everybody: 'Alle',
  'Any age': 'Jedes Alter',
  'Over 5 min': 'Über 5 min',
  'Over 1 h': 'Über 1 h',
  'Over 1 day': 'Über 1 Tag',
  'Expires first': 'Frist zuerst',
  'Newest first': 'Neueste zuerst',
  'Oldest first': 'Älteste zuerst',
  'Select {0}': '{0} auswählen',
  'Select all {0}': 'Alle {0} auswählen',
  'Select all {0} that are loaded': 'Alle {0} geladenen auswählen',
  '{0} open request|{0} open requests': '{0} offene Anfrage|{0} offene Anfragen',
  '{0} expired': '{0} abgelaufen',
  '{0} for you': '{0} für Sie',
  'None for you': 'Keine für Sie',
  '{0} waits for others|{0} wait for others': '{0} wartet auf andere|{0} warten auf andere',
  '{0} of {1} open requests': '{0} von {1} offenen Anfragen',
  '{0} found': '{0} gefunden',
  '{0} and more found': '{0} und mehr gefunden',
  '{0} open request and more|{0} open requests and more':
    '{0} offene Anfrage und mehr|{0} offene Anfragen und mehr',
  'started {0}': 'begonnen {0}',
  'updated {0}': 'Stand: {0}',
  'offline, last updated {0}': 'offline, Stand: {0}',
  'The server cannot be reached: this list may be old.':
    'Der Server ist nicht erreichbar: Diese Liste kann veraltet sein.',
  'The server cannot be reached. Trying again …': 'Der Server ist nicht erreichbar. Neuer Versuch läuft …',
  'Loading …': 'Wird geladen …',
  '{0} new request.|{0} new requests.': '{0} neue Anfrage.|{0} neue Anfragen.',
  'No open request matches.': 'Keine offene Anfrage passt.',
  'No request is waiting for you.': 'Keine Anfrage wartet auf Sie.',
  'Show all requests': 'Alle Anfragen zeigen',
  '{0} request selected.|{0} requests selected.': '{0} Anfrage ausgewählt.|{0} Anfragen ausgewählt.',
  'Approve {0} …': '{0} genehmigen …',
  'Reject {0} …': '{0} ablehnen …',
  'Clear selection': 'Auswahl aufheben',
  'Leave out {0}': '{0} weglassen',
  '{0} calls failed': '{0} Aufrufe sind gescheitert',
  'Close all': 'Alle schließen',
  'Approve {0} request?|Approve {0} requests?': '{0} Anfrage genehmigen?|{0} Anfragen genehmigen?',
  'Reject {0} request?|Reject {0} requests?': '{0} Anfrage ablehnen?|{0} Anfragen ablehnen?',
  'Reason|Reason for all {0}': 'Grund|Grund für alle {0}',
  '{0} selected request is hidden by the search or a filter, and is not decided.|{0} selected requests are hidden by the search or a filter, and are not decided.':
    '{0} ausgewählte Anfrage ist durch Suche oder Filter verborgen und wird nicht entschieden.|{0} ausgewählte Anfragen sind durch Suche oder Filter verborgen und werden nicht entschieden.',
  '{0} more is selected but hidden by the search or a filter, and is not decided.|{0} more are selected but hidden by the search or a filter, and are not decided.':
    '{0} weitere ist ausgewählt, aber durch Suche oder Filter verborgen; sie wird nicht entschieden.|{0} weitere sind ausgewählt, aber durch Suche oder Filter verborgen; sie werden nicht entschieden.',
  '{0} of them repeats another one exactly.|{0} of them repeat another one exactly.':
    '{0} davon wiederholt genau eine andere.|{0} davon wiederholen genau eine andere.',
  'Total: {0}': 'Summe: {0}',
  'Together {0}; the balance was {1} when the newest of them was asked: none of them is covered.':
    'Zusammen {0}; das Guthaben betrug {1}, als die neueste gestellt wurde: Es deckt keine.',
  'Together {0}; the balance was {1} when the newest of them was asked: not all of them are covered.':
    'Zusammen {0}; das Guthaben betrug {1}, als die neueste gestellt wurde: Es deckt nicht alle.',
  'The balance was {1} when it was asked; it may be lower now.|The balance was {1} when the newest of them was asked; it may be lower now.':
    'Das Guthaben betrug {1}, als die Anfrage gestellt wurde; jetzt kann es niedriger sein.|Das Guthaben betrug {1}, als die neueste gestellt wurde; jetzt kann es niedriger sein.',
  'Yes, approve {0}': 'Ja, {0} genehmigen',
  'Yes, reject {0}': 'Ja, {0} ablehnen',
  'You can approve several requests together only if they call the same tool or belong to one conversation, and none is permanent.':
    'Sie können mehrere Anfragen nur dann zusammen genehmigen, wenn sie dasselbe Werkzeug aufrufen oder zu einem Gespräch gehören und keine endgültig ist.',
  'You can decide several requests together only if each of them waits for you.':
    'Sie können mehrere Anfragen nur zusammen entscheiden, wenn jede auf Sie wartet.',
  'You can decide several requests together only if their cards have no unsent changes.':
    'Mehrere Anfragen lassen sich nur zusammen entscheiden, wenn ihre Karten keine Änderungen haben, die nicht gesendet sind.',
  'You can decide several requests together only if each asks for an approval.':
    'Mehrere Anfragen lassen sich nur zusammen entscheiden, wenn jede um eine Genehmigung bittet.',

  '“{0}” {1}.': '„{0}“ {1}.',
  'calls another tool': 'ruft ein anderes Werkzeug auf',
  'has expired': 'ist abgelaufen',
  'waits for {0}': 'wartet auf {0}',
  'was asked by you, so another person has to answer':
    'wurde von Ihnen angefragt, daher muss eine andere Person antworten',
  'has unsent changes': 'hat Änderungen, die nicht gesendet sind',
  'is permanent': 'ist endgültig',
  'needs more than a yes': 'braucht mehr als ein Ja',
  'asks for more than yes or no': 'fragt nach mehr als Ja oder Nein',

  // Errors.
  'Something went wrong. Try again.': 'Etwas ging schief. Versuchen Sie es noch einmal.',
  'The answer does not have the requested form. Change it and send it again.':
    'Die Antwort hat nicht die gewünschte Form. Ändern Sie sie und senden Sie sie noch einmal.',
  'The answer does not have the requested form: {0}.': 'Die Antwort hat nicht die gewünschte Form: {0}.',
  'Another answer came first. It counts; nothing was done twice.':
    'Eine andere Antwort war zuerst da. Sie zählt; nichts wurde zweimal getan.',
  'This request has expired. Ask again, or cancel it.':
    'Diese Anfrage ist abgelaufen. Fragen Sie erneut, oder brechen Sie sie ab.',
  'This request is no longer open. Reload the page to see the conversation.':
    'Diese Anfrage ist nicht mehr offen. Laden Sie die Seite neu, um das Gespräch zu sehen.',
  'This request is gone: its conversation was deleted, or you may not see it any more. Nothing was sent.':
    'Diese Anfrage ist weg: Das Gespräch dazu wurde gelöscht, oder Sie dürfen sie nicht mehr sehen. Es wurde nichts gesendet.',
  'This request does not exist, or you may not see it.':
    'Diese Anfrage gibt es nicht, oder Sie dürfen sie nicht sehen.',
  'Other requests of this conversation are still open. Answer them too; all answers are sent together.':
    'Andere Anfragen dieses Gesprächs sind noch offen. Beantworten Sie auch diese; alle Antworten werden zusammen gesendet.',
  'A request is open. Answer it, or cancel it and send your message.':
    'Eine Anfrage ist offen. Beantworten Sie sie, oder brechen Sie sie ab und senden Sie Ihre Nachricht.',
  'The agent is working on this conversation. Wait until it has finished, then try again.':
    'Der Agent arbeitet an diesem Gespräch. Warten Sie, bis er fertig ist, und versuchen Sie es dann noch einmal.',
  'The server could not be reached. What you entered is kept; try again.':
    'Der Server war nicht erreichbar. Ihre Eingaben bleiben erhalten; versuchen Sie es noch einmal.',
  'The server cannot store anything right now. Try again in a moment.':
    'Der Server kann gerade nichts speichern. Versuchen Sie es gleich noch einmal.',
  'The server is restarting. Try again in a moment.':
    'Der Server startet neu. Versuchen Sie es gleich noch einmal.',
  'The server cannot store anything right now. What you entered is kept; try again in a moment.':
    'Der Server kann gerade nichts speichern. Ihre Eingaben bleiben erhalten; versuchen Sie es gleich noch einmal.',
  'The server is restarting. What you entered is kept; try again in a moment.':
    'Der Server startet neu. Ihre Eingaben bleiben erhalten; versuchen Sie es gleich noch einmal.',
  'Too many requests. Wait a moment and try again.':
    'Zu viele Anfragen. Warten Sie einen Moment und versuchen Sie es noch einmal.',
  'You are no longer signed in. Sign in and try again.':
    'Sie sind nicht mehr angemeldet. Melden Sie sich an und versuchen Sie es noch einmal.',
  'You are not allowed to do this. Ask a person who is.':
    'Sie dürfen das nicht. Fragen Sie eine Person, die es darf.',
  'You are not allowed to answer this request. Another person has to.':
    'Sie dürfen diese Anfrage nicht beantworten. Eine andere Person muss es tun.',
  'This conversation does not exist. Start a new one.':
    'Dieses Gespräch gibt es nicht. Beginnen Sie ein neues.',
  'This agent does not exist. Choose another one.': 'Diesen Agenten gibt es nicht. Wählen Sie einen anderen.',
  'The message is too large. Send less.': 'Die Nachricht ist zu groß. Senden Sie weniger.',
  'The model failed. Try again.': 'Das Modell ist gescheitert. Versuchen Sie es noch einmal.',
  'Something went wrong on the server. Try again.':
    'Auf dem Server ging etwas schief. Versuchen Sie es noch einmal.',

  // The frame of the web app.
  'Skip to content': 'Zum Inhalt springen',
  'You are': 'Sie sind',
  Main: 'Hauptmenü',
  Chat: 'Gespräch',
  Inbox: 'Eingang',
  Audit: 'Protokoll',
  'Not found': 'Nicht gefunden',
  open: 'offen',
  'Theme: system': 'Farben: System',
  'Theme: light': 'Farben: hell',
  'Theme: dark': 'Farben: dunkel',
  Keys: 'Tasten',
  'Keys (?)': 'Tasten (?)',
  'There is no page at this address': 'Unter dieser Adresse gibt es keine Seite',
  '{0} or {1}.': '{0} oder {1}.',
  'Open the inbox': 'Den Eingang öffnen',
  'start a chat': 'ein Gespräch beginnen',
  'You are not signed in': 'Sie sind nicht angemeldet',
  'Sign in to your application, then come back to this page.':
    'Melden Sie sich in Ihrer Anwendung an und kehren Sie dann auf diese Seite zurück.',
  'Sign in to see your conversations and requests.':
    'Melden Sie sich an, um Ihre Gespräche und Anfragen zu sehen.',
  'Sign in': 'Anmelden',
  'The host has no agents. Register one and reload the page.':
    'Der Host hat keine Agenten. Melden Sie einen an und laden Sie die Seite neu.',
  'The server answered {0} with status {1}. Reload the page.':
    'Der Server hat {0} mit Status {1} beantwortet. Laden Sie die Seite neu.',
  'The server could not be reached. Try again.':
    'Der Server war nicht erreichbar. Versuchen Sie es noch einmal.',
  'The file could not be uploaded. Try again.':
    'Die Datei konnte nicht hochgeladen werden. Versuchen Sie es noch einmal.',
  'Inbox: next and previous request': 'Eingang: nächste und vorige Anfrage',
  'Approve the request': 'Die Anfrage genehmigen',
  'Reject it: opens a field for the reason': 'Die Anfrage ablehnen: öffnet ein Feld für den Grund',
  'Edit its arguments': 'Die Argumente der Anfrage bearbeiten',
  'Inbox: undo the last decision, for 5 seconds':
    'Eingang: die letzte Entscheidung zurücknehmen, 5 Sekunden lang',
  'Inbox: select the request': 'Eingang: die Anfrage auswählen',
  'Inbox: search': 'Eingang: suchen',
  'Inbox: go to the request': 'Eingang: zur Anfrage gehen',
  'Send the focused card, also from its inputs': 'Die Karte im Fokus senden, auch aus ihren Feldern',
  'Chat: send the message; Shift + Enter starts a new line':
    'Gespräch: die Nachricht senden; Umschalt + Enter beginnt eine neue Zeile',
  'Show these keys': 'Diese Tasten zeigen',
  'With requests selected, a and r decide those, after a list.':
    'Sind Anfragen ausgewählt, entscheiden a und r über diese, nach einer Liste.',
  'Letters do nothing while you type.': 'Buchstaben bewirken nichts, während Sie tippen.',
  'These ask for a confirmation: approving a call that cannot be undone, “Answer again” after a call with an effect, deleting or erasing a conversation. “Withdraw” and “Cancel request” do not ask; in the inbox, “Cancel request” can be undone for 5 seconds.':
    'Diese Schritte fragen nach: einen Aufruf genehmigen, der sich nicht rückgängig machen lässt, „Neu antworten“ nach einem Aufruf mit Wirkung, ein Gespräch löschen oder spurlos löschen. „Zurückziehen“ und „Anfrage abbrechen“ fragen nicht nach; im Eingang lässt sich „Anfrage abbrechen“ 5 Sekunden lang rückgängig machen.',
  'Reject answers no: the agent hears your reason and goes on. “Cancel request” ends the request: the agent gets no answer.':
    'Ablehnen antwortet mit Nein: Der Agent erfährt Ihren Grund und macht weiter. „Anfrage abbrechen“ beendet die Anfrage: Der Agent erfährt weder Ja noch Nein.',

  // The chat page.
  Conversations: 'Gespräche',
  'This conversation does not exist, or you may not see it.':
    'Dieses Gespräch gibt es nicht, oder Sie dürfen es nicht sehen.',
  'Actions of this conversation': 'Aktionen dieses Gesprächs',
  'New conversation': 'Neues Gespräch',
  'Search conversations': 'Gespräche suchen',
  'Older conversations': 'Ältere Gespräche',
  'Conversations appear here.': 'Hier erscheinen Gespräche.',
  'No conversation has “{0}” in its name.': 'Kein Gespräch hat „{0}“ im Namen.',
  'The list could not be loaded.': 'Die Liste konnte nicht geladen werden.',
  'Try again': 'Noch einmal versuchen',
  'Conversation of {0}': 'Gespräch vom {0}',
  'Conversation with {0}': 'Gespräch mit {0}',
  failed: 'gescheitert',
  'at work': 'arbeitet',
  'with {0}': 'mit {0}',
  Rename: 'Umbenennen',
  Delete: 'Löschen',
  Erase: 'Spurlos löschen',
  'Delete this conversation?': 'Dieses Gespräch löschen?',
  'Removes its messages, files and open requests. Approved calls that have not run yet do not run. Decided requests stay on the audit page and name you as the person who deleted the conversation.':
    'Entfernt Nachrichten, Dateien und offene Anfragen. Genehmigte Aufrufe, die noch nicht ausgeführt sind, werden nicht ausgeführt. Entschiedene Anfragen bleiben im Protokoll und nennen Sie als die Person, die das Gespräch gelöscht hat.',
  'Erase this conversation?': 'Dieses Gespräch spurlos löschen?',
  'Removes its messages, its files, all its requests, also the decided ones on the audit page, and all names and values in the history. Approved calls that have not run yet do not run. Only the kind and time of each step stay.':
    'Entfernt die Nachrichten, die Dateien, alle Anfragen, auch die entschiedenen auf der Protokollseite, und alle Namen und Werte im Verlauf. Genehmigte Aufrufe, die noch nicht gelaufen sind, laufen nicht. Nur Art und Zeit jedes Schritts bleiben.',
  'Name of the conversation': 'Name des Gesprächs',
  Save: 'Speichern',
  Keep: 'Behalten',
  'Messages and requests': 'Nachrichten und Anfragen',
  'Write a message to start.': 'Schreiben Sie eine Nachricht, um zu beginnen.',
  'Choose a sentence below, or write your own.':
    'Wählen Sie unten einen Satz, oder schreiben Sie einen eigenen.',
  'Where a call needs an approval, the agent stops and asks; other calls run at once. You decide here or in the inbox.':
    'Braucht ein Aufruf eine Genehmigung, hält der Agent an und fragt; andere Aufrufe laufen sofort. Sie entscheiden hier oder im Eingang.',
  'Close the page, or stop the server: the request is still there when you come back.':
    'Schließen Sie die Seite, oder halten Sie den Server an: Die Anfrage ist noch da, wenn Sie wiederkommen.',
  Try: 'Versuchen',
  'Answer again': 'Neu antworten',
  'This answer has already made these calls:': 'Für diese Antwort wurde schon aufgerufen:',
  'Answering again does not undo them, and can make them a second time.':
    'Neu zu antworten macht das nicht rückgängig und kann es ein zweites Mal aufrufen.',
  'Answer again anyway': 'Trotzdem neu antworten',
  'Keep this answer': 'Diese Antwort behalten',
  '{0} of {1} answered': '{0} von {1} beantwortet',
  'All answers are sent together.': 'Alle Antworten werden zusammen gesendet.',
  '{0} request is waiting for you.|{0} requests are waiting for you.':
    '{0} Anfrage wartet auf Sie.|{0} Anfragen warten auf Sie.',
  '{0} request has expired.|{0} requests have expired.':
    '{0} Anfrage ist abgelaufen.|{0} Anfragen sind abgelaufen.',
  '{0} question is waiting for you.|{0} questions are waiting for you.':
    '{0} Frage wartet auf Sie.|{0} Fragen warten auf Sie.',
  '{0} question is waiting for {1}.|{0} questions are waiting for {1}.':
    '{0} Frage wartet auf {1}.|{0} Fragen warten auf {1}.',
  '{0} request|{0} requests': '{0} Anfrage|{0} Anfragen',
  '{0} question|{0} questions': '{0} Frage|{0} Fragen',
  '{0} and {1} are waiting for you.': '{0} und {1} warten auf Sie.',
  '{0} and {1} are waiting for {2}.': '{0} und {1} warten auf {2}.',
  '{0} request is waiting for {1}.|{0} requests are waiting for {1}.':
    '{0} Anfrage wartet auf: {1}.|{0} Anfragen warten auf: {1}.',
  Stopping: 'Hält an',
  'This page was left before your answer was sent. Retry sends it.':
    'Diese Seite wurde verlassen, bevor Ihre Antwort gesendet war. „Erneut senden“ sendet sie.',
  'Your message is sent as soon as the conversation is ready.':
    'Ihre Nachricht wird gesendet, sobald das Gespräch bereit ist.',
  'Not sent yet, because you went on writing. Enter sends it.':
    'Noch nicht gesendet, weil Sie weitergeschrieben haben. Enter sendet es.',
  'Your message is sent when the run has ended.':
    'Ihre Nachricht wird gesendet, sobald der Lauf beendet ist.',
  'Stopping. A call that is already running is finished first.':
    'Hält an. Ein Aufruf, der schon läuft, wird zuerst beendet.',
  'A request is open': 'Eine Anfrage ist offen',
  'Answer it first': 'Zuerst beantworten',
  'Answer them first': 'Zuerst beantworten',
  'Your answer is sent too: {1}|Your answers are sent too: {1}':
    'Ihre Antwort wird auch gesendet: {1}|Ihre Antworten werden auch gesendet: {1}',
  'Cancel it and send': 'Abbrechen und senden',
  'Cancel them and send': 'Abbrechen und senden',
  'Keep waiting': 'Weiter warten',
  'Withdraw it and send': 'Zurückziehen und senden',
  'Withdraw them and send': 'Zurückziehen und senden',
  Message: 'Nachricht',
  'Write a message …': 'Nachricht schreiben …',
  Send: 'Senden',

  // The inbox page.
  List: 'Liste',
  Request: 'Anfrage',
  '{0} open': '{0} offen',
  '{0} of {1}': '{0} von {1}',
  Previous: 'Vorige',
  'Failed: {0}': 'Fehlgeschlagen: {0}',
  'Failed ({0}): {1}': 'Fehlgeschlagen ({0}): {1}',
  'No request matches the search and the filters.': 'Keine Anfrage passt zur Suche und zu den Filtern.',
  'Nothing to decide.': 'Nichts zu entscheiden.',
  'Choose a request.': 'Wählen Sie eine Anfrage.',
  Undo: 'Rückgängig',
  'Press u to undo.': 'Mit u nehmen Sie das zurück.',
  'The agent continues when its other requests are answered.':
    'Der Agent macht weiter, wenn seine anderen Anfragen beantwortet sind.',
  '{0} request approved.|{0} requests approved.': '{0} Anfrage genehmigt.|{0} Anfragen genehmigt.',
  '{0} request rejected.|{0} requests rejected.': '{0} Anfrage abgelehnt.|{0} Anfragen abgelehnt.',
  '{0} request decided.|{0} requests decided.': '{0} Anfrage entschieden.|{0} Anfragen entschieden.',
  '{0}. It was not run.': '{0}. Es wurde nicht ausgeführt.',
  '“{0}” was not approved: {1}': '„{0}“ wurde nicht genehmigt: {1}',
  '“{0}” was not rejected: {1}': '„{0}“ wurde nicht abgelehnt: {1}',
  '{0} agent continues when the other requests are answered.|{0} agents continue when the other requests are answered.':
    '{0} Agent macht weiter, wenn die anderen Anfragen beantwortet sind.|{0} Agenten machen weiter, wenn die anderen Anfragen beantwortet sind.',
  '{0} decision was taken back in another window.|{0} decisions were taken back in another window.':
    '{0} Entscheidung wurde in einem anderen Fenster zurückgenommen.|{0} Entscheidungen wurden in einem anderen Fenster zurückgenommen.',
  'Taken back: {0}': 'Zurückgenommen: {0}',
  '{0} answer taken back.|{0} answers taken back.':
    '{0} Antwort zurückgenommen.|{0} Antworten zurückgenommen.',
  '{0} answer was taken back in another window.|{0} answers were taken back in another window.':
    '{0} Antwort wurde in einem anderen Fenster zurückgenommen.|{0} Antworten wurden in einem anderen Fenster zurückgenommen.',
  '{0} decision taken back.|{0} decisions taken back.':
    '{0} Entscheidung zurückgenommen.|{0} Entscheidungen zurückgenommen.',
  'Too late: the approval stands.|Too late: {0} approvals stand.':
    'Zu spät: Die Genehmigung gilt.|Zu spät: {0} Genehmigungen gelten.',
  'Too late: the rejection stands.|Too late: {0} rejections stand.':
    'Zu spät: Die Ablehnung gilt.|Zu spät: {0} Ablehnungen gelten.',
  'Too late: the answer stands.|Too late: {0} answers stand.':
    'Zu spät: Die Antwort gilt.|Zu spät: {0} Antworten gelten.',
  'Too late: the question stays cancelled.|Too late: {0} questions stay cancelled.':
    'Zu spät: Die Frage bleibt abgebrochen.|Zu spät: {0} Fragen bleiben abgebrochen.',
  'Too late: the request stays cancelled.|Too late: {0} requests stay cancelled.':
    'Zu spät: Die Anfrage bleibt abgebrochen.|Zu spät: {0} Anfragen bleiben abgebrochen.',
  'The agent gets no answer.': 'Der Agent bekommt keine Antwort.',
  'The agent gets no answer to it, and continues with its other answers.':
    'Der Agent bekommt darauf keine Antwort und macht mit seinen anderen Antworten weiter.',
  'The agent gets no answer to it, and continues when its other requests are answered.':
    'Der Agent bekommt darauf keine Antwort und macht weiter, wenn seine anderen Anfragen beantwortet sind.',
  'The agent has already continued.': 'Der Agent hat schon weitergemacht.',
  'Not undone: {0}': 'Nicht zurückgenommen: {0}',
  'The time to undo is over.': 'Die Zeit zum Rückgängigmachen ist vorbei.',
  'Show a notification when a request arrives while this page is in the background':
    'Eine Mitteilung zeigen, wenn eine Anfrage kommt, während diese Seite im Hintergrund ist',
  'Notifications are on': 'Mitteilungen sind an',
  'Notify me': 'Mitteilungen einschalten',
  '{0} requests ask for exactly this.': '{0} Anfragen bitten um genau dasselbe.',
  'This turn asks for {0} decisions.': 'Dieser Schritt bittet um {0} Entscheidungen.',
  'The agent continues when all of them have an answer.':
    'Der Agent macht weiter, wenn alle eine Antwort haben.',
  'Approved, but not run yet:': 'Genehmigt, aber noch nicht ausgeführt:',
  'It runs when this request is answered or cancelled.|They run when this request is answered or cancelled.':
    'Läuft, sobald diese Anfrage beantwortet oder abgebrochen ist.|Sie laufen, sobald diese Anfrage beantwortet oder abgebrochen ist.',
  'It runs when all requests of this turn are answered or cancelled.|They run when all requests of this turn are answered or cancelled.':
    'Läuft, sobald alle Anfragen dieses Schritts beantwortet oder abgebrochen sind.|Sie laufen, sobald alle Anfragen dieses Schritts beantwortet oder abgebrochen sind.',
  'Approve all {0} …': 'Alle {0} genehmigen …',
  'The words before this request': 'Die Worte vor dieser Anfrage',
  User: 'Person',
  'this tool': 'dieses Werkzeug',
  Waiting: 'Wartet',
  'another person': 'eine andere Person',
  or: 'oder',
  History: 'Verlauf',
  'Open the conversation': 'Das Gespräch öffnen',
  'All decisions about this tool': 'Alle Entscheidungen über dieses Werkzeug',
  'Earlier decisions about {0}': 'Frühere Entscheidungen über {0}',

  // The audit page.
  Show: 'Zeigen',
  Decisions: 'Entscheidungen',
  'Always allowed': 'Immer erlaubt',
  'Search decisions': 'Entscheidungen suchen',
  Status: 'Status',
  'This page shows the decisions that you may see.':
    'Diese Seite zeigt die Entscheidungen, die Sie sehen dürfen.',
  'Any decision': 'Jede Entscheidung',
  'In progress': 'In Arbeit',
  'Answered questions': 'Beantwortete Fragen',
  'Failed or unknown calls': 'Fehlgeschlagen oder unklar',
  'Cancelled or withdrawn': 'Abgebrochen oder zurückgezogen',
  '{0} · not run yet': '{0} · noch nicht ausgeführt',
  '{0} · did not run': '{0} · nicht ausgeführt',
  '{0} · also allowed: {1}': '{0} · außerdem erlaubt: {1}',
  'Also allowed without asking': 'Außerdem ohne Rückfrage erlaubt',
  'this tool for {0}': 'dieses Werkzeug für {0}',
  'this tool in this conversation': 'dieses Werkzeug in diesem Gespräch',
  'exactly this in this conversation': 'genau das in diesem Gespräch',
  'for a limited time': 'für begrenzte Zeit',
  'It may have been revoked since: see “Always allowed”.':
    'Es kann inzwischen widerrufen sein: siehe „Immer erlaubt“.',
  'The balance may be lower now.': 'Das Guthaben kann inzwischen kleiner sein.',
  'at most {0} use|at most {0} uses': 'höchstens {0} Nutzung|höchstens {0} Nutzungen',
  'up to a total of {0}': 'bis zu einer Summe von {0}',
  '{0} · the call had failed': '{0} · der Aufruf war fehlgeschlagen',
  '{0} · failed': '{0} · fehlgeschlagen',
  '{0} · not known whether it ran': '{0} · nicht bekannt, ob es ausgeführt wurde',
  'The conversation was deleted by {0} on {1}.': 'Das Gespräch wurde von {0} am {1} gelöscht.',
  'The conversation was deleted.': 'Das Gespräch wurde gelöscht.',
  'Its conversation was erased before the call ran, or you may not see it any more.':
    'Das Gespräch dazu wurde entfernt, bevor der Aufruf lief, oder Sie dürfen sie nicht mehr sehen.',
  'Its conversation was erased, or you may not see it any more.':
    'Das Gespräch dazu wurde entfernt, oder Sie dürfen sie nicht mehr sehen.',
  'The conversation was deleted, and the call was not run.':
    'Das Gespräch wurde gelöscht, und der Aufruf wurde nicht ausgeführt.',
  'The conversation was deleted on {0}.': 'Das Gespräch wurde am {0} gelöscht.',
  'You deleted the conversation on {0}.': 'Sie haben das Gespräch am {0} gelöscht.',
  'Decided by': 'Entschieden durch',
  'Decided at': 'Entschieden am',
  Decision: 'Entscheidung',
  You: 'Sie',
  you: 'Sie',
  Tool: 'Werkzeug',
  'There is no decision yet that you may see.': 'Es gibt noch keine Entscheidung, die Sie sehen dürfen.',
  'No decision that you may see matches.': 'Keine Entscheidung, die Sie sehen dürfen, passt.',
  'The search looks at titles, messages, short arguments, tools, the people who asked, and at what people changed, answered and gave as a reason. It does not look at results.':
    'Die Suche umfasst Titel, Nachrichten, kurze Argumente, Werkzeuge, die Personen, die gefragt haben, und was Personen geändert, geantwortet und begründet haben. Sie umfasst keine Ergebnisse.',
  'No decision that you may see matches. Write the names of tools, people and agents in full.':
    'Keine Entscheidung, die Sie sehen dürfen, passt. Schreiben Sie die Namen von Werkzeugen, Personen und Agenten ganz aus.',
  'Show more': 'Mehr zeigen',
  '{0} decision saved.|{0} decisions saved.': '{0} Entscheidung gespeichert.|{0} Entscheidungen gespeichert.',
  Proposal: 'Vorschlag',
  'Open the question': 'Die Frage öffnen',
  'Open the request': 'Die Anfrage öffnen',
  'Other people may have grants that are not shown here.':
    'Andere Personen können Dauerfreigaben haben, die hier nicht stehen.',
  'No tool is allowed now. To allow one, choose it under “Next time” when you approve a request.':
    'Kein Werkzeug ist jetzt erlaubt. Um eines zu erlauben, wählen Sie es unter „Nächstes Mal“, wenn Sie eine Anfrage genehmigen.',
  'You have always allowed no tool. To allow one, choose it under “Next time” when you approve a request.':
    'Sie haben kein Werkzeug immer erlaubt. Um eines zu erlauben, wählen Sie es unter „Nächstes Mal“, wenn Sie eine Anfrage genehmigen.',
  'No longer allowed': 'Nicht mehr erlaubt',
  'no longer applies': 'gilt nicht mehr',
  'used up': 'aufgebraucht',
  'of {0}': 'von {0}',
  'given by {0}': 'erteilt von {0}',
  'given by you': 'erteilt von Ihnen',
  'for you': 'für Sie',
  'until {0}': 'bis {0}',
  'uses: {0}': 'Nutzungen: {0}',
  'uses: {0} of {1}': 'Nutzungen: {0} von {1}',
  'total: {0} of {1}': 'Summe: {0} von {1}',
  'with any arguments': 'mit beliebigen Argumenten',
  'only with these arguments:': 'nur mit diesen Argumenten:',
  everybody: 'alle',
  'everybody without a login': 'alle ohne Anmeldung',
  'in one conversation': 'in einem Gespräch',
  Revoke: 'Widerrufen',
  'Revoking …': 'Wird widerrufen …',
  'The grant is revoked.': 'Die Dauerfreigabe ist widerrufen.',
  'This grant was not revoked.': 'Diese Dauerfreigabe wurde nicht widerrufen.',
};
