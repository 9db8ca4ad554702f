/**
 * Lets a form take files that are pasted into it or dropped on it. While files are dragged over it, it has
 * the attribute `data-drop`. Returns the function that ends it.
 */
export function takeFiles(form: HTMLElement, add: (files: FileList) => void): () => void {
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;
  const paste = (event: ClipboardEvent) => {
    const files = event.clipboardData?.files;
    // Text that is copied from an office program also contains a picture of itself.
    if (!files?.length || event.clipboardData?.types.includes('text/plain')) return;
    event.preventDefault();
    add(files);
  };
  const over = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    form.dataset['drop'] = '';
  };
  const leave = (event: DragEvent) => {
    if (event.relatedTarget instanceof Node && form.contains(event.relatedTarget)) return;
    delete form.dataset['drop'];
  };
  const drop = (event: DragEvent) => {
    delete form.dataset['drop'];
    if (!hasFiles(event) || event.dataTransfer === null) return;
    event.preventDefault();
    add(event.dataTransfer.files);
  };
  form.addEventListener('paste', paste);
  form.addEventListener('dragover', over);
  form.addEventListener('dragleave', leave);
  form.addEventListener('drop', drop);
  return () => {
    form.removeEventListener('paste', paste);
    form.removeEventListener('dragover', over);
    form.removeEventListener('dragleave', leave);
    form.removeEventListener('drop', drop);
  };
}
