/** Returns the id of the domain of a tool. Neither that id nor the name of a tool has a dot. */
export function domainOf(tool: string): string {
  return tool.slice(0, tool.indexOf('.'));
}
