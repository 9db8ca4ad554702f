/**
 * Makes the children of a node, from the given child on, equal to other nodes. Nodes that are equal already
 * stay, so that a selection and the focus are kept while text is added at the end.
 */
export function patchNodes(parent: Node, from: number, next: Node): void {
  let current = parent.childNodes[from] ?? null;
  for (const wanted of [...next.childNodes]) {
    const after: ChildNode | null = current?.nextSibling ?? null;
    if (!current) parent.appendChild(wanted);
    else patchNode(current, wanted);
    current = after;
  }
  while (current) {
    const after: ChildNode | null = current.nextSibling;
    current.remove();
    current = after;
  }
}

function patchNode(current: ChildNode, wanted: ChildNode): void {
  if (current.isEqualNode(wanted)) return;
  if (current instanceof Text && wanted instanceof Text) {
    // Only the new text is appended, so that a selection in the old text stays.
    if (wanted.data.startsWith(current.data)) current.appendData(wanted.data.slice(current.data.length));
    else current.data = wanted.data;
  } else if (current instanceof Element && current.cloneNode().isEqualNode(wanted.cloneNode())) {
    patchNodes(current, 0, wanted);
  } else current.replaceWith(wanted);
}
