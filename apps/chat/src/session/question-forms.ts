import { createForm, englishWords, type ArgumentForm, type FormWords } from '@banister/form';
import type { Confirmation, Tool } from '@banister/session';
import { signal, type ReadonlySignal } from '@banister/session/signals';
import { loadToolCheck } from '@banister/session/check';

/** The forms of the questions. Each form is kept from the first time that it is shown. */
export interface QuestionForms {
  /**
   * Returns the form of a question; null until the check of its tool is loaded, and for a tool that the page
   * does not have.
   */
  of(confirmation: Confirmation): ReadonlySignal<ArgumentForm | null>;
}

/** This error is shown below the JSON, which has no name with which the sentence could begin. */
const words: FormWords = { ...englishWords, noJson: (fault) => `This ${englishWords.noJson(fault)}` };

/** The highest number of kept forms. It is more than the questions of one list. */
const MOST = 200;

export function createQuestionForms(toolOf: (id: string) => Tool | undefined): QuestionForms {
  const forms = new Map<string, ReadonlySignal<ArgumentForm | null>>();
  let count = 0;
  return {
    of({ id, call }) {
      const known = forms.get(id);
      if (known) return known;
      const form = signal<ArgumentForm | null>(null);
      forms.set(id, form);
      if (forms.size > MOST) forms.delete(forms.keys().next().value!);
      const tool = toolOf(call.tool);
      if (tool === undefined) return form;
      const name = `q${++count}`;
      loadToolCheck(tool).then(
        (check) => (form.value = createForm({ ...check, value: call.arguments, id: name, words })),
        // Without the check, the question can be answered only with the agent's arguments. The session always
        // checks the arguments.
        () => {},
      );
      return form;
    },
  };
}
