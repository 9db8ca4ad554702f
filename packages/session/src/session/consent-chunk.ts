// The chunk of consent: its stages in a turn, the requests for more of a limit, and the commands of the user.
export { consentOf } from '../consent/turn-consent.js';
export { extensionsOf } from '../extension/turn-extensions.js';
export * from './consent-commands.js';
