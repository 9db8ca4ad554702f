/** Fails a test if the condition is false. The suites have their own assertions, so that they run in every test runner. */
export function assert(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Error(problem);
}

/** Fails a test if two values differ as JSON. */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  assert(left === right, `${what}: expected ${right}, got ${left}`);
}

/** Settles like the promise, or rejects if it takes longer than `ms` in real time. */
export async function within<T>(ms: number, promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits in real time until the condition holds. Rejects if that takes too long. */
export async function eventually(
  ms: number,
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
