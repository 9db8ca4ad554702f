// The options of a relay also have their types in a Node script, which is compiled without the DOM types.
import { relay } from '@banister/relay';

relay('/agent', { headers: { authorization: 'Bearer of-ada' }, credentials: 'include' });
relay('/agent', { headers: async () => new Headers([['authorization', 'Bearer of-ada']]) });
// @ts-expect-error A number is no header.
relay('/agent', { headers: 5 });
// @ts-expect-error Neither is it one where a function returns it.
relay('/agent', { headers: () => 5 });
// @ts-expect-error There is no such mode.
relay('/agent', { credentials: 'always' });
