import { textIn } from '@handrail/wire';
import type { OutputItem } from './output-item.js';

/** Characters of a name that are shown. */
const LONGEST_NAME = 100;

/** True for an item in which the server asks whether a tool of its own may run. */
export function asksForApproval(item: OutputItem): boolean {
  return item.type === 'mcp_approval_request';
}

/** What the server wants to be allowed, in sentences for the user. */
export function approvalDetail(items: readonly OutputItem[]): string {
  return items
    .filter(asksForApproval)
    .map(({ latest }) => {
      const tool = textIn(latest?.['name']).slice(0, LONGEST_NAME);
      const server = textIn(latest?.['server_label']).slice(0, LONGEST_NAME);
      return `It wants to run "${tool}"${server === '' ? '' : ` of "${server}"`}.`;
    })
    .join(' ');
}
