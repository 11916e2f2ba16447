;; What Emacs is asked, step by step: a step is tried ten times a second until it gives t, as an editor that waits.
(require 'json)
(defvar said nil)
(defvar begun (float-time))
(defun note (name value) (push (cons name value) said))
(defun lines () (vconcat (split-string (buffer-substring-no-properties (point-min) (point-max)) "\n")))
(defun replace-first (old new) (goto-char (point-min)) (search-forward old) (replace-match new t t))

(defvar steps
  (list
   (lambda ()
     (let ((found (flymake-diagnostics)))
       (when found
         (note 'mistakes
               (vconcat (mapcar (lambda (each)
                                  (vector (buffer-substring-no-properties (flymake-diagnostic-beg each) (flymake-diagnostic-end each))
                                          (flymake-diagnostic-text each)))
                                found)))
         (replace-first "Np" "NP")
         t)))
   (lambda () (null (flymake-diagnostics)))
   (lambda () (replace-first "Det < N" "Det<N") (eglot-format-buffer) (note 'formatted (lines)) t)
   (lambda () (goto-char (point-min)) (search-forward "NP") (backward-char 1) (eglot-rename "Nominal") t)
   (lambda ()
     (goto-char (point-min))
     (when (search-forward "Nominal:" nil t)
       (note 'renamed (lines))
       (note 'comment comment-start)
       t))))

(defun finish (err)
  (note 'error err)
  (with-temp-file "said.json" (insert (json-encode said)))
  (kill-emacs))

(defun go-on ()
  (condition-case err
      (with-current-buffer "main.pg"
        (cond ((null steps) (finish nil))
              ((> (- (float-time) begun) 300) (finish (format "steps left: %d" (length steps))))
              ((funcall (car steps)) (pop steps))))
    (error (finish (format "%S" err)))))

(run-with-timer 0.1 0.1 #'go-on)
