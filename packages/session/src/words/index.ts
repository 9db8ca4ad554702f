// The entry `@banister/session/words`: the words for the user.
export { createWords, type Words, type WordsOptions } from './create-words.js';
export type {
  CallProblem,
  CallValues,
  ErrorDetails,
  ErrorValues,
  FailureValues,
  NamedTool,
  Phrase,
  QuestionValues,
  StopValues,
  TitleValues,
  WordTable,
} from './word-table.js';
export type { TitledCall } from './phrases.js';
