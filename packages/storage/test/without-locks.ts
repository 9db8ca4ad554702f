// Node has Web Locks since 24.5. Tests that import this module first run without Web Locks in every release
// of Node.
if (typeof navigator !== 'undefined')
  Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true });
