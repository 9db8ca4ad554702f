/** The floor of W20: bare copies of the writer's last state. */
export function createStateCopies({ count }) {
  let copies = [];
  return {
    async level(state) {
      copies = Array.from({ length: count }, () => JSON.parse(JSON.stringify(state)));
    },
    async end() {},
    states: () => copies,
  };
}
