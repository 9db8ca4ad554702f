/** Revisions by domain id; domains without a revision are absent. */
export type Revisions = Readonly<Record<string, string | number>>;
