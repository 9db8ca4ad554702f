import { useSignalValue } from '@banister/react';
import type { MemoryDrawer } from '../../memory/memory-drawer.js';
import { Icon } from '../Icon.js';

/** Opens and closes the drawer with the facts. */
export function MemoryButton({ memory }: { readonly memory: MemoryDrawer }) {
  const isOpen = useSignalValue(memory.isOpen);
  return (
    <button
      type="button"
      className="icon-button"
      aria-label="Memory"
      title="What the agent remembers"
      aria-expanded={isOpen}
      aria-haspopup="dialog"
      data-focus="memory"
      onClick={isOpen ? memory.close : memory.open}
    >
      <Icon name="memory" />
    </button>
  );
}
