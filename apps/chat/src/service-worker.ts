/** The script that the build makes, see `vite.config.ts`. */
const SCRIPT = '/sw.js';

/**
 * Lets a built page work without a network after the first visit. The pages of the development server have no
 * worker, and remove a worker that a built page has left at their address.
 */
export async function startServiceWorker(isBuilt: boolean): Promise<void> {
  const workers = (navigator as Partial<Navigator>).serviceWorker;
  if (!workers) return;
  try {
    // The browser looks for a new build some time after a visit has begun. A short visit would miss it.
    if (isBuilt) await (await workers.register(trusted(SCRIPT))).update();
    else for (const registration of await workers.getRegistrations()) await registration.unregister();
  } catch {
    // The browser's settings block it, or there is no network.
  }
}

/** The page's policy allows no other text to become a script. */
function trusted(script: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  return (
    trustedTypes?.createPolicy('service-worker', { createScriptURL: () => script }).createScriptURL('') ??
    script
  );
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(): string },
  ): { createScriptURL(input: string): string };
}
