/** The readers of a published board, inside of a sentence. */
export function audienceWords(audience: string): string {
  return audience === 'everyone' ? 'everyone' : 'the team';
}
