import { fieldErrors, fieldNote } from '../../session/field-words.js';
import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';
import { FieldControl, type FieldProps } from './FieldControl.js';

/** A field of a form with its label, its errors below it, and the fields inside. */
export function FieldView({ form, field, pickers }: FieldProps) {
  const label = visibleText(field.label);
  const inner = field.kind === 'alternatives' ? [field.field] : 'fields' in field ? field.fields : [];
  const inside = inner.map(
    (one) => one && <FieldView key={one.id} form={form} field={one} pickers={pickers} />,
  );
  if (field.kind === 'group' || field.kind === 'list') {
    return (
      <fieldset
        className="form-group"
        id={field.id}
        // Named explicitly, because the legend also contains buttons.
        aria-label={label}
        data-focus={`field:${field.id}`}
        tabIndex={-1}
      >
        <legend>
          {label}
          <FieldTools form={form} field={field} pickers={pickers} />
        </legend>
        {inside}
        {field.canAdd && (
          <button type="button" className="form-add" onClick={() => form.add(field)}>
            Add to {label}
          </button>
        )}
        <Below field={field} />
      </fieldset>
    );
  }
  return (
    <>
      <div className="form-field" data-kind={field.kind}>
        {field.row ? (
          <input
            className="form-label"
            aria-label="Name"
            value={field.row.name}
            onChange={(event) => form.rename(field, event.target.value)}
          />
        ) : field.kind === 'segments' || field.kind === 'checks' ? (
          <span className="form-label" id={`${field.id}-label`}>
            {label}
          </span>
        ) : (
          <label className="form-label" htmlFor={field.id}>
            {label}
          </label>
        )}
        <FieldControl form={form} field={field} pickers={pickers} />
        <FieldTools form={form} field={field} pickers={pickers} />
        <Below field={field} />
      </div>
      {inside}
    </>
  );
}

/**
 * The note and the errors of a field. The element of the errors always exists, so that errors are read out
 * when they appear.
 */
function Below({ field }: Pick<FieldProps, 'field'>) {
  const note = fieldNote(field);
  return (
    <>
      {note !== '' && <p className="form-note">{note}</p>}
      <p className="form-errors" id={`${field.id}-errors`} aria-live="polite">
        {fieldErrors(field)}
      </p>
    </>
  );
}

/** The buttons that act on a whole field. */
function FieldTools({ form, field }: FieldProps) {
  const label = visibleText(field.label);
  const { item } = field;
  const isRow = field.row !== null;
  return (
    <>
      {field.canGive && (
        <button type="button" className="form-add" onClick={() => form.give(field)}>
          Add {label}
        </button>
      )}
      {field.canLeaveOut && (
        <button
          type="button"
          className="icon-button form-tool"
          aria-label={`Leave out: ${label}`}
          title="Leave out"
          onClick={() => form.leaveOut(field)}
        >
          <Icon name="remove" />
        </button>
      )}
      {item && !item.isFirst && (
        <button
          type="button"
          className="icon-button form-tool"
          aria-label={`Move up: ${label}`}
          title="Move up"
          onClick={() => form.move(field, -1)}
        >
          <Icon name="up" />
        </button>
      )}
      {(isRow || item?.canRemove) && (
        <button
          type="button"
          className="icon-button form-tool"
          aria-label={`Remove: ${label}`}
          title="Remove"
          onClick={() => form.remove(field)}
        >
          <Icon name="bin" />
        </button>
      )}
    </>
  );
}
