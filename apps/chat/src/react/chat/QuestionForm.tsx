import type { ArgumentForm } from '@banister/form';
import { useSignalValue } from '@banister/react';
import type { Question } from '../../session/questions.js';
import { visibleText } from '../../text/visible-text.js';
import { FieldView } from './FieldView.js';
import { PlanFields } from './PlanFields.js';

/** The arguments of a question as a form, as the steps of a plan, or as JSON. */
export function QuestionForm({ question }: { readonly question: Question }) {
  const { form, plan, given, errors, pickers } = question;
  return (
    <>
      {form && <Fields form={form} plan={plan} pickers={pickers} />}
      {given !== null && <pre className="code">{given}</pre>}
      {errors.length > 0 && (
        <div className="problem" role="alert">
          {errors.map((error) => (
            <p key={error}>{visibleText(error)}</p>
          ))}
        </div>
      )}
    </>
  );
}

interface FieldsProps extends Pick<Question, 'plan' | 'pickers'> {
  readonly form: ArgumentForm;
}

function Fields({ form, plan, pickers }: FieldsProps) {
  const fields = useSignalValue(form.fields);
  const isJson = useSignalValue(form.isJson);
  const errors = useSignalValue(form.errors);
  return (
    <div className="form">
      {plan !== null && !isJson ? (
        <PlanFields plan={plan} />
      ) : (
        fields.map((field) => <FieldView key={field.id} form={form} field={field} pickers={pickers} />)
      )}
      {errors.length > 0 && (
        <p className="form-errors" role="alert" tabIndex={-1} data-focus="form-errors">
          {visibleText(errors.join(', '))}
        </p>
      )}
      <button
        type="button"
        className="form-json"
        aria-pressed={isJson}
        onClick={() => form.showJson(!isJson)}
      >
        As JSON
      </button>
    </div>
  );
}
