import { createForm, englishWords, type ArgumentForm, type FormWords } from '@banister/form';
import type { Confirmation, Tool } from '@banister/session';
import { signal, type ReadonlySignal } from '@banister/session/signals';
import { loadToolCheck } from '@banister/session/check';

/** The forms of the questions, each from its first sight on. */
export interface QuestionForms {
  /** The form of a question; null until the check of its tool is loaded, and for a tool that the page does not have. */
  of(confirmation: Confirmation): ReadonlySignal<ArgumentForm | null>;
}

/** An error stands below the JSON, which has no name to begin its sentence with. */
const words: FormWords = { ...englishWords, noJson: (fault) => `This ${englishWords.noJson(fault)}` };

/** The most forms that are kept: more than the questions of one list. */
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
        // Without its check the question is answered as the agent asked it. The session checks the arguments in any case.
        () => {},
      );
      return form;
    },
  };
}
