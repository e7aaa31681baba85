// What the API server asks of a kubelet while its pods run: commands in them, and their logs, by the kubelet's own code for
// streams. It starts no pods: how each is entered is in a file that a test writes. No kubelet, but a stand-in for this part of one.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	protocols "k8s.io/apimachinery/pkg/util/remotecommand"
	client "k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/cert"
	"k8s.io/kubelet/pkg/cri/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// One file a pod, NAME.json: the program that enters it, with its arguments, and the environment of its container.
type pods struct{ folder string }

type pod struct {
	Enter []string `json:"enter"`
	Env   []string `json:"env"`
}

func (p pods) file(name, ending string) string {
	return filepath.Join(p.folder, filepath.Base(name)+ending)
}

func (p pods) read(name string) (pod, error) {
	var found pod
	text, err := os.ReadFile(p.file(name, ".json"))
	if err != nil {
		return found, fmt.Errorf("the pod %s does not run", name)
	}
	return found, json.Unmarshal(text, &found)
}

func quoted(words []string) string {
	var text []string
	for _, word := range words {
		text = append(text, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	return strings.Join(text, " ")
}

func (p pods) ExecInContainer(ctx context.Context, name string, _ types.UID, _ string, words []string, in io.Reader,
	out, errs io.WriteCloser, tty bool, _ <-chan client.TerminalSize, _ time.Duration) error {
	found, err := p.read(name)
	if err != nil {
		return err
	}
	argv := append(append([]string{}, found.Enter...), words...)
	if tty {
		argv = []string{"script", "-qefc", quoted(argv), "/dev/null"}
	}
	// Not ended with the request: neither does a container runtime end it.
	command := exec.Command(argv[0], argv[1:]...)
	command.Env = found.Env
	command.Stdout = out
	if errs != nil {
		command.Stderr = errs
	}
	// Processes left behind may keep the pipes open.
	command.WaitDelay = 2 * time.Second
	stdin, err := command.StdinPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	go func() {
		if in != nil {
			_, _ = io.Copy(stdin, in)
		}
		_ = stdin.Close()
	}()
	err = command.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		code := ended.ExitCode()
		if code < 0 {
			code = 137
		}
		return utilexec.CodeExitError{Err: err, Code: code}
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

func main() {
	folder := flag.String("pods", "", "folder of the pods' files")
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 10250, "port to listen on")
	flag.Parse()
	running := pods{folder: *folder}

	mux := http.NewServeMux()
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", func(w http.ResponseWriter, req *http.Request) {
		options, err := remotecommand.NewOptions(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if _, err := running.read(req.PathValue("pod")); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		remotecommand.ServeExec(w, req, running, req.PathValue("pod"), "", req.PathValue("container"), req.URL.Query()["command"],
			options, 4*time.Hour, 30*time.Second, protocols.SupportedStreamingProtocols)
	})
	mux.HandleFunc("/containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, req *http.Request) {
		http.ServeFile(w, req, running.file(req.PathValue("pod"), ".log"))
	})

	certificate, key, err := cert.GenerateSelfSignedCertKey(*host, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		log.Fatal(err)
	}
	server := http.Server{
		Addr:      fmt.Sprintf("%s:%d", *host, *port),
		Handler:   mux,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}},
	}
	// Ends with the test that started it.
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println("ready")
	log.Fatal(server.ListenAndServeTLS("", ""))
}
