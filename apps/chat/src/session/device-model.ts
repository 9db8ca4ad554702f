import { onDevice, type Availability, type OnDeviceProvider } from '@banister/on-device';
import { batch, signal, type ReadonlySignal } from '@banister/session/signals';
import { messageOf } from '@banister/provider';

/** Whether the browser has its own model; `unknown` until `know` is called. */
export type DeviceState = Availability | 'unknown' | 'checking';

/** The browser's own model, and its download. */
export interface DeviceModel {
  readonly provider: OnDeviceProvider;
  readonly state: ReadonlySignal<DeviceState>;
  /** How much of the download is done, from 0 to 1; null if this page is not downloading. */
  readonly share: ReadonlySignal<number | null>;
  /** Why the download failed. */
  readonly problem: ReadonlySignal<string | null>;
  check(): Promise<void>;
  /** Checks the availability, unless that was done before. */
  know(): Promise<void>;
  /** Must be called in the handler of a click, because browsers otherwise refuse a download. */
  download(): Promise<void>;
}

export function createDeviceModel(): DeviceModel {
  const provider = onDevice({ languages: ['en'] });
  const state = signal<DeviceState>('unknown');
  const share = signal<number | null>(null);
  const problem = signal<string | null>(null);

  let known: Promise<void> | undefined;

  const check = async (): Promise<void> => {
    try {
      state.value = await provider.availability();
    } catch (error) {
      batch(() => {
        state.value = 'unavailable';
        problem.value = messageOf(error);
      });
    }
  };

  return {
    provider,
    state,
    share,
    problem,
    check,
    know() {
      if (!known) {
        state.value = 'checking';
        known = check();
      }
      return known;
    },
    async download() {
      if (share.peek() !== null) return;
      batch(() => {
        share.value = 0;
        problem.value = null;
      });
      try {
        await provider.download({ onProgress: (done) => (share.value = done) });
      } catch (error) {
        problem.value = messageOf(error);
      }
      await check();
      share.value = null;
    },
  };
}
