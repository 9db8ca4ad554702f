/** Domains were activated: from the next request on, the model has their tools. They stay active on the path to the head. */
export interface DomainsActivated {
  readonly type: 'domainsActivated';
  readonly ids: readonly string[];
  /** 1-based. */
  readonly round: number;
  /** `model`: the model called `banister.use_domain`. `choice`: the tool choice of the turn names a tool of the domain. */
  readonly by: 'model' | 'choice';
}
