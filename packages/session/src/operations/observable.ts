// The RxJS classes that a session needs before its first turn. Published code contains the RxJS modules as separate files, so that a page
// loads these two first, and the operators with the code of turns.
export { Observable, Subscriber } from 'rxjs';
