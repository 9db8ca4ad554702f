// Node has Web Locks since 24.5. The tests that import this module first are about logs without them, in any release of Node.
if (typeof navigator !== 'undefined')
  Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true });
