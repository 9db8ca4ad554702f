/** Revisions by domain id. Domains without a revision are absent. */
export type Revisions = Readonly<Record<string, string | number>>;
