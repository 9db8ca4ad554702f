import { useRef } from 'react';
import type { FileTray } from '../../session/file-tray.js';
import { IconButton } from './IconButton.js';

/** Lets the user choose files. */
export function AttachButton({ files }: { readonly files: FileTray }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          files.add(target.files ?? []);
          // Reset, so that the same file can be chosen again.
          target.value = '';
        }}
      />
      <IconButton
        icon="clip"
        label="Attach files"
        focusName="attach"
        onPress={() => input.current?.click()}
      />
    </>
  );
}
