// The chunk of consent: its stages in a turn, and the commands of the user.
export { consentOf } from '../consent/turn-consent.js';
export * from './consent-commands.js';
