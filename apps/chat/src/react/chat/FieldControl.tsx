import type { ArgumentForm, FormField } from '@banister/form';
import { useId, type ChangeEvent } from 'react';
import type { Pickers } from '../../board/card-pickers.js';
import { chosenKey, optionLabel, pickerFor, pickerGroups } from '../../session/field-words.js';
import { visibleText } from '../../text/visible-text.js';

export interface FieldProps {
  readonly form: ArgumentForm;
  readonly field: FormField;
  readonly pickers: Pickers;
}

/** The control of a field, by its kind. */
export function FieldControl({ form, field, pickers }: FieldProps) {
  const listId = useId();
  const isInvalid = field.errors.length > 0;
  const control = {
    id: field.id,
    'aria-invalid': isInvalid,
    'aria-describedby': isInvalid ? `${field.id}-errors` : undefined,
    'data-focus': `field:${field.id}`,
    onBlur: () => form.touch(field),
  };
  const write = (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
    form.input(field, event.target.value);
  const picker = pickerFor(field, pickers);
  if (picker !== null && field.kind === 'text') {
    return (
      <select {...control} value={picker.selected ?? ''} onChange={write}>
        {picker.selected === null && (
          <option value="" disabled>
            {field.text === '' ? '' : `${visibleText(field.text)} (not there)`}
          </option>
        )}
        {pickerGroups(picker).map(({ group, options }) => (
          <optgroup key={group} label={group}>
            {options.map(({ value, label }) => (
              <option key={value} value={value}>
                {visibleText(label)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    );
  }
  switch (field.kind) {
    case 'segments':
    case 'checks':
      return (
        <div
          className={field.kind === 'segments' ? 'segments' : 'checks'}
          role={field.kind === 'segments' ? 'radiogroup' : 'group'}
          aria-labelledby={`${field.id}-label`}
        >
          {field.options.map(({ key, label, isSelected }, index) => (
            <label key={key}>
              <input
                type={field.kind === 'segments' ? 'radio' : 'checkbox'}
                name={field.id}
                checked={isSelected}
                data-focus={index === 0 ? `field:${field.id}` : undefined}
                onChange={(event) =>
                  field.kind === 'segments'
                    ? form.input(field, key)
                    : form.toggle(field, key, event.target.checked)
                }
              />
              <span>{optionLabel(label)}</span>
            </label>
          ))}
        </div>
      );
    case 'select':
    case 'alternatives':
      return (
        <select {...control} value={chosenKey(field.options)} onChange={write}>
          {chosenKey(field.options) === '' && <option value="" disabled />}
          {field.options.map(({ key, label }) => (
            <option key={key} value={key}>
              {optionLabel(label)}
            </option>
          ))}
        </select>
      );
    case 'checkbox':
      return (
        <input
          {...control}
          type="checkbox"
          checked={field.isChecked}
          onChange={(event) => form.input(field, event.target.checked)}
        />
      );
    case 'fixed':
      return <output id={field.id}>{visibleText(field.text)}</output>;
    case 'text':
      return (
        <>
          <input
            {...control}
            type={field.input}
            dir={field.input === 'text' ? 'auto' : undefined}
            value={field.text}
            placeholder={field.preset === null ? undefined : visibleText(field.preset)}
            list={field.suggestions ? listId : undefined}
            onChange={write}
          />
          {field.suggestions && (
            <datalist id={listId}>
              {field.suggestions.map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
            </datalist>
          )}
        </>
      );
    case 'number':
      return (
        <input {...control} type="text" inputMode={field.inputMode} value={field.text} onChange={write} />
      );
    case 'json':
      return (
        <textarea {...control} className="form-code" spellCheck={false} value={field.text} onChange={write} />
      );
    case 'textarea':
    case 'lines':
      return <textarea {...control} dir="auto" rows={2} value={field.text} onChange={write} />;
    default:
      return null;
  }
}
