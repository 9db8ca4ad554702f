import { useSession, type AgentSession } from '@banister/react';
import { usageRows, type UsageRow } from '../../how/usage-rows.js';

/** The tokens, the rounds and the cost of the session so far. */
export function UsageTable({ session }: { readonly session: AgentSession }) {
  const rows = useSession(session, usageRows, sameRows);
  return (
    <section className="how-section" aria-labelledby="how-usage">
      <h3 id="how-usage">Usage</h3>
      {rows.length === 0 ? (
        <p className="how-empty">No model has counted anything yet.</p>
      ) : (
        <table className="signals">
          <tbody>
            {rows.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function sameRows(a: readonly UsageRow[], b: readonly UsageRow[]): boolean {
  return (
    a.length === b.length &&
    a.every(([name, value], index) => name === b[index]?.[0] && value === b[index][1])
  );
}
