/** Returns the tool of a call for a sentence that the user reads: its title in quotation marks, or else its id. */
export function named({ tool, title }: { readonly tool: string; readonly title?: string }): string {
  return title === undefined ? tool : `“${title}”`;
}

/** Returns the id of the domain of a tool. Neither that id nor the name of a tool has a dot. */
export function domainOf(tool: string): string {
  return tool.slice(0, tool.indexOf('.'));
}
