import type { IconName } from '../../view/icons.js';
import { Icon } from '../Icon.js';

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  /** The name by which a command gives it the focus. */
  readonly focusName: string;
  readonly disabled?: boolean;
  onPress(): void;
}

export function IconButton({ icon, label, focusName, disabled, onPress }: IconButtonProps) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      data-focus={focusName}
      disabled={disabled}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  );
}
