/** The unchanged tool. Its effect is recorded as irreversible. */
export const plainTool = (_store, tool) => tool;
