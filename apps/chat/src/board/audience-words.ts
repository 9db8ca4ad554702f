/** Returns the readers of a published board as words inside a sentence. */
export function audienceWords(audience: string): string {
  return audience === 'everyone' ? 'everyone' : 'the team';
}
