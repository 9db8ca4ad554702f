/**
 * Returns the name of a property as words: `due_date`, `due-date` and `dueDate` become "Due date". Abbreviations are kept.
 *
 * @example
 * console.log(labelOf('assigneeID')); // Assignee ID
 */
export function labelOf(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')
    .map((word, index) => {
      if (/^[A-Z\d]+$/.test(word)) return word;
      return index === 0 ? word[0]!.toUpperCase() + word.slice(1) : word.toLowerCase();
    });
  return words.length === 0 ? name : words.join(' ');
}
