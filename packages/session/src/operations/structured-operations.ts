/** A piece of the JSON text of a structured output. It never joins `currentText`. */
export interface OutputArrived {
  readonly type: 'outputArrived';
  readonly delta: string;
}

/** The answer of the open round fits the schema: its JSON text joins the record, and the conversation when the turn ends. */
export interface OutputAccepted {
  readonly type: 'outputAccepted';
  /** Without the properties that were null and are optional. */
  readonly text: string;
}

/** The answer of the open round does not fit the schema, and the model is asked once more. Only the next request has the answer. */
export interface OutputRejected {
  readonly type: 'outputRejected';
  /** The faults, as sentences without a full stop. */
  readonly issues: readonly string[];
}

export type StructuredOperation = OutputArrived | OutputAccepted | OutputRejected;
