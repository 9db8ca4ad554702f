import type { WordTable } from '@banister/session/words';

const inSeconds = (ms = 0) => `${ms / 1_000} Sekunden`;

/** Words for every code: a new one without them here does not compile. */
type Whole = {
  readonly [Section in keyof WordTable]-?: Section extends 'titles'
    ? WordTable[Section]
    : Required<NonNullable<WordTable[Section]>>;
};

/** A table with words for every code of this library. */
export const german = {
  errors: {
    'already-running': 'Es läuft noch etwas.',
    'invalid-input': ({ name }) => (name ? `„${name}“ ist zu groß.` : 'Diese Nachricht geht nicht.'),
    'invalid-configuration': 'Die Einstellungen passen nicht.',
    unsupported: ({ model, reason }) =>
      reason === 'open-elsewhere'
        ? 'Das Gespräch ist anderswo offen.'
        : `Das geht mit ${model ?? 'dieser Fassung'} nicht.`,
    'unreadable-attachment': ({ name = 'Die Datei' }) => `${name} ist nicht lesbar.`,
    'nothing-to-retry': 'Nichts zu wiederholen.',
    'nothing-to-undo': 'Nichts zurückzunehmen.',
    'nothing-to-resume': 'Nichts fortzusetzen.',
    conflict: ({ domains = [] }) => `Inzwischen geändert: ${domains.join(', ')}.`,
    'undo-failed': 'Das ließ sich nicht zurücknehmen.',
    cancelled: 'Abgebrochen.',
    'max-rounds': ({ limit }) => `Nach ${limit} Runden ist Schluss.`,
    'max-tool-calls': ({ limit }) => `Nach ${limit} Aufrufen ist Schluss.`,
    'max-calls-per-answer': ({ limit }) => `Mehr als ${limit} Aufrufe auf einmal.`,
    'max-children': ({ limit }) => `Mehr als ${limit} Helfer.`,
    'max-depth': ({ limit }) => `Helfer haben höchstens ${limit} Ebenen.`,
    timeout: ({ limit, of }) => `${of === 'thinking' ? 'Nachdenken' : 'Antwort'} über ${inSeconds(limit)}.`,
    'token-budget': ({ limit, of }) => `${limit} Token ${of ? 'im Gespräch ' : ''}verbraucht.`,
    'cost-budget': ({ limit, currency }) => `${limit} ${currency} ausgegeben.`,
    'repeated-call': 'Immer derselbe Aufruf.',
    'egress-refused': ({ middleware }) => `„${middleware}“ hält die Anfrage zurück.`,
    'tool-choice-not-honored': ({ called = [] }) => `Gerufen wurde: ${called.join(', ')}.`,
    'structured-output-invalid': 'Die Antwort hat nicht die Form.',
    'tool-escalated': ({ tool }) => `${tool} ist gescheitert.`,
    'provider-contract': 'Der Anbieter antwortet falsch.',
    interrupted: ({ abandoned }) => (abandoned ? 'Nicht fortgesetzt.' : 'Die Antwort brach ab.'),
    auth: 'Der Schlüssel gilt nicht.',
    model: 'Dieses Modell gibt es nicht.',
    'rate-limit': ({ retry }) =>
      typeof retry === 'object' ? `Warte ${inSeconds(retry.afterMs)}.` : 'Zu schnell.',
    quota: 'Kein Guthaben.',
    'context-length': 'Das Gespräch ist zu lang.',
    refused: 'Der Anbieter lehnt ab.',
    overloaded: 'Das Modell ist überlastet.',
    network: 'Keine Verbindung.',
    server: ({ status = 500 }) => `Fehler ${status} des Servers.`,
    storage: 'Nicht gespeichert.',
    disposed: 'Geschlossen.',
  },
  stops: {
    limit: ({ limit }) => `Angehalten: ${limit?.code}.`,
    withheld: ({ middleware, because }) =>
      `„${middleware}“ hält die Antwort zurück${because ? ` (${because})` : ''}.`,
    length: 'Die Antwort ist zu lang.',
    refusal: 'Das Modell lehnt ab.',
    'content-filter': ({ detail }) => `Gefiltert. ${detail ?? ''}`.trim(),
    approval: 'Hier nicht zu erlauben.',
  },
  questions: {
    tool: ({ name, irreversible }) => `„${name}“ ausführen?${irreversible ? ' Endgültig.' : ''}`,
    capabilities: ({ name, capabilities }) => `„${name}“ ausführen (${capabilities.join(', ')})?`,
    rerun: ({ name }) => `„${name}“ noch einmal?`,
    hosted: ({ name }) => `Der Anbieter fragt nach ${name}.`,
    imported: ({ name }) => `„${name}“ aus einer Datei hier ausführen?`,
  },
  previews: {
    empty: 'Die Vorschau ist leer.',
    'no-json': 'Die Vorschau ist kein JSON.',
    'too-long': ({ limit }) => `Länger als ${limit} Zeichen.`,
    'too-slow': ({ ms }) => `Keine Vorschau in ${inSeconds(ms)}.`,
    ended: 'Die Frage ist vorbei.',
  },
  failures: {
    changed: 'Inzwischen geändert.',
    absent: 'Diese Seite hat es nicht.',
    'too-slow': ({ ms }) => `Länger als ${inSeconds(ms)}.`,
    'not-redoable': 'Geht nicht noch einmal.',
    'dependent-stays': 'Etwas anderes hängt davon ab.',
    'not-decided': 'Noch da.',
    'not-restored': 'Nicht wieder hergestellt.',
    'other-not-restored': 'Ein anderer Zug steht im Weg.',
  },
  calls: {
    'unknown-tool': 'Gibt es nicht.',
    'invalid-arguments': 'Werte passen nicht.',
    middleware: 'Zurückgewiesen.',
    denied: 'Nicht erlaubt.',
    conflict: 'Nicht gelaufen: inzwischen geändert.',
    declined: 'Von dir abgelehnt.',
    'confirmation-timeout': 'Keine Antwort.',
    'confirmation-failed': 'Frage gescheitert.',
    cancelled: 'Abgebrochen.',
    'not-run': 'Nicht gelaufen.',
    repeated: 'Schon getan.',
    'validator-unavailable': 'Nicht geprüft.',
    'tool-failed': ({ text }) => `Ging nicht: ${text}`,
    'tool-threw': ({ name }) => `Fehler in „${name}“.`,
    'tool-refused': 'Verweigert.',
    'tool-conflict': 'Inzwischen geändert.',
    'timed-out': 'Zu langsam.',
    unusable: 'Ergebnis unbrauchbar.',
    interrupted: 'Unterbrochen.',
  },
  titles: {
    'board.add': ({ arguments: { title } }) =>
      typeof title === 'string' ? `Karte „${title}“ anlegen` : 'Karte anlegen',
    'banister.read_context': 'Nachsehen',
  },
} satisfies Whole;
