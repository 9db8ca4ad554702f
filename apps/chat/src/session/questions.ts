import {
  computed,
  isJsonObject,
  signal,
  type AgentSession,
  type Confirmation,
  type JsonObject,
  type ReadonlySignal,
} from '@handrail/session';
import { strictParse } from '@handrail/session/provider';
import { approveWith, argumentsText } from './edited-arguments.js';
import { rememberOptions, type RememberChoice } from './remember.js';

/** A request for confirmation, with the arguments as the user has edited them so far. */
export interface Question {
  readonly confirmation: Confirmation;
  /** The arguments as the user left them. */
  readonly text: string;
  /** The arguments that the text holds; null when they equal the agent's, or the text is no JSON object. */
  readonly edited: JsonObject | null;
  /** Whether the text can be read. */
  readonly isReadable: boolean;
  /** The validation errors of the last approval. */
  readonly errors: readonly string[];
  /** What is remembered with an approval. */
  readonly remember: RememberChoice;
}

/** All questions are open at once; each can be answered by itself. */
export interface Questions {
  readonly open: ReadonlySignal<readonly Question[]>;
  edit(question: Question, text: string): void;
  choose(question: Question, remember: RememberChoice): void;
  /** Approves with the text of the question. Arguments that do not fit leave it open, with `errors`. */
  approve(question: Question): Promise<void>;
  approveAll(): Promise<void>;
  deny(question: Question): void;
}

/** The user's changes to a question. */
type Edit = Partial<Pick<Question, 'text' | 'errors' | 'remember'>>;

/** By the id of the confirmation. */
type Edits = Readonly<Record<string, Edit>>;

export function createQuestions(session: ReadonlySignal<AgentSession>): Questions {
  const edits = signal<Edits>({});

  const open = computed(() =>
    session.value.pendingConfirmations.value
      .filter(({ answeredBy }) => answeredBy === 'signal')
      .map((confirmation) => questionOf(confirmation, edits.value[confirmation.id])),
  );

  const change = ({ confirmation: { id } }: Question, edit: Edit): void => {
    const known = edits.peek();
    // Edits of open questions only: those of answered questions are dropped.
    const kept = open.peek().flatMap(({ confirmation }) => {
      const of = known[confirmation.id];
      return of ? [[confirmation.id, of] as const] : [];
    });
    edits.value = { ...Object.fromEntries(kept), [id]: { ...known[id], ...edit } };
  };
  const approve = async (question: Question): Promise<void> => {
    const { confirmation, text, remember } = question;
    const errors = await approveWith(confirmation, text, rememberOptions(remember));
    if (errors.length > 0 || question.errors.length > 0) change(question, { errors });
  };

  return {
    open,
    edit(question, text) {
      // What can be read may be right by now: the next approval says so.
      const { isReadable } = questionOf(question.confirmation, { text });
      change(question, isReadable ? { text, errors: [] } : { text });
    },
    choose(question, remember) {
      change(question, { remember });
    },
    approve,
    approveAll: async () => void (await Promise.all(open.peek().map(approve))),
    deny({ confirmation }) {
      void confirmation.deny();
    },
  };
}

function questionOf(
  confirmation: Confirmation,
  { text, errors = [], remember = 'once' }: Edit = {},
): Question {
  const asked = argumentsText(confirmation);
  if (text === undefined || text === asked)
    return { confirmation, text: asked, edited: null, isReadable: true, errors, remember };
  const parsed = strictParse(text);
  const edited = parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
  return { confirmation, text, edited, isReadable: edited !== null, errors, remember };
}
