/** `count` alternating messages of user and assistant, about 80 characters each. */
export function pastMessages(count) {
  return Array.from({ length: count }, (_, index) => ({
    id: `past-${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    text: `message ${index}: some earlier words of this long conversation, about eighty chars long.`,
  }));
}
