/**
 * The tools that the model may call in a turn. `auto`: any tools or none. `none`: no tools in the whole turn. `required`: the first answer
 * of the turn has to call a tool. `{ tool }`, with a name such as `domain.tool`: the first answer has to call this tool and no other. Later
 * answers are free.
 */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

/** The kinds of tool choices that a provider may support; `auto` needs no support. */
export type ToolChoiceKind = 'required' | 'none' | 'tool';
