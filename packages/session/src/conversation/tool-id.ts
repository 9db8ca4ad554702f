/** Returns the name of a call's tool in a sentence for the user: its title in quotation marks, or its id if it has no title. */
export function named({ tool, title }: { readonly tool: string; readonly title?: string }): string {
  return title === undefined ? tool : `“${title}”`;
}

/** Returns the id of the domain of a tool. Neither that id nor the name of a tool contains a dot. */
export function domainOf(tool: string): string {
  return tool.slice(0, tool.indexOf('.'));
}
