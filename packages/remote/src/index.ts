export { broadcast, type BroadcastOptions } from './broadcast.js';
export type { ConnectionState } from './connection.js';
export { direct, type DirectOptions } from './direct.js';
export { remoteSession, type RemoteOptions, type RemoteSession } from './remote-session.js';
export type { LogSnapshot, SignOfLife, Transport, TransportItem } from './transport.js';
