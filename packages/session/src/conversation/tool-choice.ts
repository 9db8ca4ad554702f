/**
 * The tools that the model may call in a turn. `auto`: any or none. `none`: none in the whole turn. `required` and the name of a tool,
 * `domain.tool`, bind the first answer of a turn: it has to call a tool, or this tool alone; the answers after it are free.
 */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

/** The kinds of tool choices that a provider may support; `auto` needs no support. */
export type ToolChoiceKind = 'required' | 'none' | 'tool';
