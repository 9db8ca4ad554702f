import type { ShownTable } from '../../session/table-answer.js';

interface TableAnswerProps {
  readonly table: ShownTable;
  readonly isStill: boolean;
}

/** A table as far as it has arrived. A wide table scrolls separately, also with the keyboard. */
export function TableAnswer({ table: { caption, columns, rows, isGrowing }, isStill }: TableAnswerProps) {
  return (
    <div className="answer table-answer">
      <div
        role="group"
        aria-label={caption === '' ? 'Table' : `Table: ${caption}`}
        aria-busy={isGrowing && !isStill}
        tabIndex={0}
        className="table-scroll"
      >
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              {columns.map((column, index) => (
                <th key={index} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...cells], index) => (
              <tr key={index}>
                <th scope="row">{name}</th>
                {cells.map((cell, at) => (
                  <td key={at}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
