/** Shown while the chat is unmounted. The session does not live in a component, so its work continues. */
export function ChatAway({ onMount }: { onMount(): void }) {
  return (
    <section className="chat chat-away" aria-label="Chat">
      <p className="chat-away-title">The chat is unmounted.</p>
      <p>
        The session goes on: watch the status and the board. Mount the chat again, and everything that
        happened meanwhile is there.
      </p>
      <button type="button" className="button" onClick={onMount}>
        Mount the chat
      </button>
    </section>
  );
}
