import type { ShownFile } from '../../session/shown-files.js';
import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';
import { IconButton } from './IconButton.js';

interface FileListProps {
  readonly label: string;
  readonly files: readonly ShownFile[];
  /** Absent for sent files. */
  readonly onRemove?: (id: string) => void;
}

/** The files of a message, each with its picture or with its name and size. */
export function FileList({ label, files, onRemove }: FileListProps) {
  if (files.length === 0) return null;
  return (
    <ul className="files" aria-label={label}>
      {files.map(({ id, name, size, preview }) => (
        <li key={id} className="file">
          {preview === null ? <Icon name="file" /> : <img className="file-picture" src={preview} alt="" />}
          <span className="file-name">{visibleText(name)}</span>
          <span className="file-size">{size}</span>
          {onRemove && (
            <IconButton
              icon="remove"
              label={`Remove ${visibleText(name)}`}
              focusName={`file:${id}`}
              onPress={() => onRemove(id)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
