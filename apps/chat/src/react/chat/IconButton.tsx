import type { IconName } from '../../view/icons.js';
import { Icon } from '../Icon.js';

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  /** The name by which a command can focus the button. */
  readonly focusName: string;
  readonly disabled?: boolean;
  /** The id of the text that describes the button further. */
  readonly describedBy?: string | undefined;
  onPress(): void;
}

export function IconButton({ icon, label, focusName, disabled, describedBy, onPress }: IconButtonProps) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      aria-describedby={describedBy}
      data-focus={focusName}
      disabled={disabled}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  );
}
