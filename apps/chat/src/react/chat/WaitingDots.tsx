/** Nothing of the answer is there yet. */
export function WaitingDots() {
  return (
    <p className="waiting-dots">
      <span className="visually-hidden">The agent is thinking</span>
      <i />
      <i />
      <i />
    </p>
  );
}
