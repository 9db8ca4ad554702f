import type { AttachedInput, Message, Operation, OperationOf } from '@banister/session';
import type { Complain } from './round-order.js';

/** The rules for attachments: each content occurs once, before the first message that refers to it. */
export class AttachmentOrder {
  private readonly attached = new Map<string, string>();

  /** @param isWhole whether the stream has all operations of the session; otherwise messages may refer to earlier attachments */
  constructor(private readonly isWhole: boolean) {}

  check(operation: Operation, complain: Complain): void {
    if (operation.type === 'attached') this.add(operation, complain);
    else if (operation.type === 'turnStarted') this.refer(idsIn(operation.input), complain);
    else if (operation.type === 'steered') this.refer(idsIn(operation.message), complain);
    else if (operation.type === 'queued') this.refer(idsOf(operation.input), complain);
  }

  private add({ id, data }: OperationOf<'attached'>, complain: Complain): void {
    if (this.attached.has(id)) complain(`attachment ${id} stands before it`);
    if ([...this.attached.values()].includes(data))
      complain(`the content of attachment ${id} stands before it`);
    this.attached.set(id, data);
  }

  private refer(ids: readonly string[], complain: Complain): void {
    if (!this.isWhole) return;
    for (const id of ids) if (!this.attached.has(id)) complain(`there is no attachment ${id} before it`);
  }
}

/** @param message undefined if the stream is damaged */
function idsIn(message: Message | undefined): readonly string[] {
  return message?.parts.flatMap((part) => (part.type === 'attachment' ? [part.id] : [])) ?? [];
}

function idsOf(input: AttachedInput): readonly string[] {
  return typeof input === 'string' ? [] : (input.files ?? []).map(({ id }) => id);
}
