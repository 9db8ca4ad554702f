/** A piece of the JSON text of a structured output. It is never a part of `currentText`. */
export interface OutputArrived {
  readonly type: 'outputArrived';
  readonly delta: string;
}

/** The answer of the open round fits the schema. Its JSON text joins the record, and the conversation when the turn ends. */
export interface OutputAccepted {
  readonly type: 'outputAccepted';
  /** The JSON text, without optional properties that were null. */
  readonly text: string;
}

/** The answer of the open round does not fit the schema, and the model is asked once more. Only the next request contains this answer. */
export interface OutputRejected {
  readonly type: 'outputRejected';
  /** The faults, as sentences without a full stop. */
  readonly issues: readonly string[];
}

export type StructuredOperation = OutputArrived | OutputAccepted | OutputRejected;
