/** Domains were activated: from the next request on, the model has their tools. They stay active on the path to the head. */
export interface DomainsActivated {
  readonly type: 'domainsActivated';
  readonly ids: readonly string[];
  /** 1-based. */
  readonly round: number;
  /**
   * `model`: the model called `banister.use_domain`. `choice`: the options of the turn name the domain, or their tool choice names a tool of
   * the domain.
   */
  readonly by: 'model' | 'choice';
  /** Present if the domains have no tools, so that the tools of the next request stay as they are: the activation is no rebuild. */
  readonly sameTools?: true;
}
