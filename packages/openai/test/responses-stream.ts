/** Events of the Responses API as a body. */
export function asStream(...events: readonly object[]): string {
  return events
    .map((event, sequence_number) => ({ sequence_number, ...event }) as { readonly type?: string })
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

/** Returns the events of an item that was streamed in pieces. */
export function itemEvents(
  output_index: number,
  item: object,
  deltaType: string,
  pieces: readonly string[],
): readonly object[] {
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, content: [], arguments: '' } },
    ...pieces.map((delta) => ({ type: `response.${deltaType}.delta`, output_index, delta })),
    { type: 'response.output_item.done', output_index, item },
  ];
}
