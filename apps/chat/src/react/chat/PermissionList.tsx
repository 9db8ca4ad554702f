import { useSignalValue } from '@banister/react';
import type { Permissions } from '../../session/permissions.js';

/** The user's permissions for more than one call. */
export function PermissionList({ permissions }: { readonly permissions: Permissions }) {
  const list = useSignalValue(permissions.list);
  if (list.length === 0) return null;
  return (
    <details className="permissions">
      <summary aria-label={`Allowed: ${list.length}`}>
        <span className="permission-word">Allowed:</span> {list.length}
      </summary>
      <ul aria-label="Allowed without a question">
        {list.map((permission) => (
          <li key={permission.id}>
            <span>
              {permission.what} <span className="permission-until">{permission.until}</span>
            </span>
            <button
              type="button"
              className="button button-quiet"
              data-focus={`revoke:${permission.id}`}
              aria-label={`Revoke: ${permission.what}`}
              onClick={() => void permissions.revoke(permission)}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
